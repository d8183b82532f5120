import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import { HttpBody } from "@effect/platform"
import { Telemetry } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"

interface Attribute {
  readonly key: string
}

interface Points {
  readonly dataPoints: ReadonlyArray<{ readonly attributes: ReadonlyArray<Attribute> }>
}

interface Metrics {
  readonly resourceMetrics: ReadonlyArray<{
    readonly resource: unknown
    readonly scopeMetrics: ReadonlyArray<{
      readonly scope: unknown
      readonly metrics: ReadonlyArray<{
        readonly name: string
        readonly sum?: Points
        readonly gauge?: Points
        readonly histogram?: Points
      }>
    }>
  }>
}

/**
 * Removes the label with the unit. The service stores the unit in a label because Effect's metrics have no field for
 * it. The exporter has read the label by then, so the collector does not need it.
 */
const points = <P extends Points>(given: P): P => ({
  ...given,
  dataPoints: given.dataPoints.map((point) => ({
    ...point,
    attributes: point.attributes.filter(({ key }) => key !== Telemetry.UNIT_LABEL)
  }))
})

export const metrics = ({ resourceMetrics }: Metrics): Metrics => ({
  resourceMetrics: resourceMetrics.map((resource) => ({
    ...resource,
    scopeMetrics: resource.scopeMetrics.map((scope) => ({
      ...scope,
      metrics: scope.metrics
        .filter(({ name }) => Telemetry.isOurs(name))
        .map((metric) => ({
          ...metric,
          ...(metric.sum === undefined ? {} : { sum: points(metric.sum) }),
          ...(metric.gauge === undefined ? {} : { gauge: points(metric.gauge) }),
          ...(metric.histogram === undefined ? {} : { histogram: points(metric.histogram) })
        }))
    }))
  }))
})

export type Protocol = "http/protobuf" | "http/json"

/**
 * The filter for metrics that are sent to the collector. The library's exporter of traces is not used: spans are
 * filtered and encoded by `SentSpan.ts` and `SpanBatch.ts`.
 */
export const layer = (protocol: Protocol): Layer.Layer<OtlpSerialization.OtlpSerialization> =>
  Layer.effect(
    OtlpSerialization.OtlpSerialization,
    Effect.map(OtlpSerialization.OtlpSerialization, (encode) => ({
      traces: () => HttpBody.empty,
      metrics: (data: unknown) => encode.metrics(metrics(data as Metrics)),
      logs: () => HttpBody.empty
    }))
  ).pipe(Layer.provide(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf))
