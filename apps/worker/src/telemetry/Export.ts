import * as OtlpMetrics from "@effect/opentelemetry/OtlpMetrics"
import { Duration, Layer, Redacted } from "effect"
import { webcrypto } from "node:crypto"
import * as Collector from "./Collector.js"
import * as Outgoing from "./Outgoing.js"
import type { Collector as CollectorSettings, TelemetrySettings } from "./TelemetrySettings.js"
import * as Traces from "./Traces.js"
import { VERSION } from "../version.js"

/** How long a program that ends waits for the collector to take the last batch. */
const LAST_EXPORT = Duration.seconds(3)

/** Sends metrics and traces to the collector while the program runs, and once more when the program ends. */
export const layer = (
  { resourceAttributes, sampler, serviceName }: TelemetrySettings,
  collector: CollectorSettings,
  program: string
): Layer.Layer<never> => {
  const shared = {
    resource: {
      serviceName: serviceName ?? program,
      serviceVersion: VERSION,
      attributes: { "service.instance.id": webcrypto.randomUUID(), ...resourceAttributes }
    },
    headers: Redacted.value(collector.headers),
    shutdownTimeout: LAST_EXPORT
  }
  const traces = Traces.layer({
    sampler,
    exporter: { ...shared, url: `${collector.endpoint}/v1/traces`, protocol: collector.protocol }
  })
  const metrics = OtlpMetrics.layer({
    ...shared,
    url: `${collector.endpoint}/v1/metrics`,
    exportInterval: Duration.millis(collector.metricsEveryMillis)
  })
  return Layer.merge(
    collector.hasTraces ? traces : Layer.setTracerEnabled(false),
    collector.hasMetrics ? metrics : Layer.empty
  ).pipe(Layer.provide(Outgoing.layer(collector.protocol)), Layer.provide(Collector.layer))
}
