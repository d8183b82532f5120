import { Telemetry } from "@place-access/domain/shared"
import { Effect, type Scope } from "effect"
import { VERSION } from "../version.js"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"

const delayP50 = Telemetry.gauge("nodejs.eventloop.delay.p50", {
  unit: "s",
  description: "How late the event loop was since the figures were last read, half of the time at most"
})
const delayP99 = Telemetry.gauge("nodejs.eventloop.delay.p99", {
  unit: "s",
  description: "How late the event loop was since the figures were last read, 99 times of 100 at most"
})
const delayMax = Telemetry.gauge("nodejs.eventloop.delay.max", {
  unit: "s",
  description: "How late the event loop was at worst since the figures were last read"
})
const utilization = Telemetry.gauge("nodejs.eventloop.utilization", {
  description: "The share of the time since the figures were last read in which the event loop was busy"
})
const memory = Telemetry.gauge("process.memory.usage", {
  unit: "By",
  description: "Memory that the process holds (RSS)"
})
const heapUsed = Telemetry.gauge("v8js.memory.heap.used", {
  unit: "By",
  description: "JavaScript's heap, what is used of it"
})
const heapLimit = Telemetry.gauge("v8js.memory.heap.limit", {
  unit: "By",
  description: "How large JavaScript's heap may grow"
})
const cpu = Telemetry.counter("process.cpu.time", {
  unit: "s",
  description: "Processor time",
  labels: { "cpu.mode": ["user", "system"] }
})
const uptime = Telemetry.gauge("process.uptime", { unit: "s", description: "How long the process has run" })

/** A gauge that is always 1; its label has the version. */
const build = Telemetry.gauge("place_access.build.info", {
  description: "The version of this process, as a label",
  labels: { version: [VERSION] }
})

const NANOS = 1e9
const MICROS = 1e6
const RESOLUTION_MILLIS = 20

/** Measures this process whenever `observers` are called. */
export const observe = ({ observers }: Telemetry.Recorder): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const delay = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS })
        histogram.enable()
        return histogram
      }),
      (histogram) => Effect.sync(() => histogram.disable())
    )
    let loop = performance.eventLoopUtilization()
    let before = { user: 0, system: 0 }
    /**
     * Converts an interval of the event-loop timer to its lateness. The timer fires every 20 ms and the histogram has
     * the intervals between its calls, so only the time above 20 ms is lateness.
     */
    const late = (nanos: number) => Math.max(0, nanos / NANOS - RESOLUTION_MILLIS / 1_000)
    const read = () => {
      if (delay.count > 0) {
        delayP50.record(late(delay.percentile(50)), {})
        delayP99.record(late(delay.percentile(99)), {})
        delayMax.record(late(delay.max), {})
        delay.reset()
      }
      const now = performance.eventLoopUtilization()
      utilization.record(performance.eventLoopUtilization(now, loop).utilization, {})
      loop = now
      const used = process.cpuUsage()
      cpu.record((used.user - before.user) / MICROS, { "cpu.mode": "user" })
      cpu.record((used.system - before.system) / MICROS, { "cpu.mode": "system" })
      before = used
      memory.record(process.memoryUsage.rss(), {})
      const heap = getHeapStatistics()
      heapUsed.record(heap.used_heap_size, {})
      heapLimit.record(heap.heap_size_limit, {})
      uptime.record(process.uptime(), {})
      build.record(1, { version: VERSION })
    }
    observers.add(read)
    yield* Effect.addFinalizer(() => Effect.sync(() => observers.delete(read)))
  })
