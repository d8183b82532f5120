import { Telemetry } from "@place-access/domain/shared"
import { Duration, Effect, Layer, RuntimeFlags, Schedule } from "effect"
import type { CannotStart } from "../CannotStart.js"
import { listen } from "./MetricsListener.js"
import { observe } from "./ProcessFigures.js"
import type { WorkerHealth } from "./WorkerHealth.js"
import { openAddress, type TelemetrySettings } from "./TelemetrySettings.js"

/** The interval at which gauges are read for the collector. For Prometheus they are read at each request. */
const READ_EVERY = Schedule.spaced(Duration.seconds(10))

/**
 * Measures and traces according to the settings. `program` is the name of the process, unless the settings have another
 * name. `health` is a worker's answer to `GET /healthz` on the port of the metrics.
 *
 * Without settings nothing is measured and no span is made: the code that measures first reads a fiber reference, which
 * says whether telemetry is on. The runtime's own count of fibers, which is on by default, is switched off, because
 * nobody reads it.
 */
export const layer = (
  settings: TelemetrySettings,
  program: string,
  health?: WorkerHealth["answer"]
): Layer.Layer<never, CannotStart> =>
  Layer.mergeAll(RuntimeFlags.disableRuntimeMetrics, exporting(settings, program), measuring(settings, health))

const exporting = (settings: TelemetrySettings, program: string): Layer.Layer<never> => {
  const { collector } = settings
  if (collector === null) return Layer.setTracerEnabled(false)
  return Layer.unwrapEffect(
    // Loaded on demand, because most programs send nothing to a collector.
    Effect.map(
      Effect.promise(() => import("./Export.js")),
      (exports) => exports.layer(settings, collector, program)
    )
  )
}

const measuring = (
  settings: TelemetrySettings,
  health: WorkerHealth["answer"] | undefined
): Layer.Layer<never, CannotStart> => {
  const { collector, metricsAddress } = settings
  const isExported = collector !== null && collector.hasMetrics
  if (metricsAddress === null && !isExported) return Layer.empty
  const recorder: Telemetry.Recorder = { observers: new Set() }
  const read = () => {
    for (const observer of recorder.observers) observer()
  }
  return Layer.scopedDiscard(
    Effect.gen(function* () {
      yield* Effect.locallyScoped(Telemetry.recorder, recorder)
      yield* observe(recorder)
      if (isExported) yield* Effect.forkScoped(Effect.schedule(Effect.sync(read), READ_EVERY))
      if (metricsAddress === null) return
      yield* listen(metricsAddress, read, health)
      const open = openAddress(settings)
      if (open !== null) {
        yield* Effect.logWarning(`METRICS_HOST is ${open.host}: /metrics on port ${open.port} has no password.`)
      }
    })
  )
}
