import { fileURLToPath } from "node:url"
import type { Bench } from "../harness/Bench.js"
import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import * as Program from "../harness/Program.js"
import type { Row, Side } from "../harness/Row.js"
import { asking, FIXES, PEOPLE } from "./asking.js"

const SECONDS = 2

/** The settings with which a program traces one request in 100. */
export const ONE_IN_100 = { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.01" }

/** Starts a substitute for a telemetry collector. Returns the settings with which a program sends to it. */
export const collector = async (bench: Bench): Promise<Readonly<Record<string, string>>> => {
  const port = await Program.freePort()
  const running = bench.keep(
    Program.source("collector", fileURLToPath(new URL("../baselines/collector.ts", import.meta.url)))
  )
  running.child.send({ port })
  await Program.answers(running, `http://127.0.0.1:${port}/`)
  return { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }
}

/**
 * Compares four servers that differ only in their telemetry: one without telemetry, one with metrics, one with traces
 * of some requests, and one with traces of all requests.
 */
export const telemetry: Row = {
  name: "telemetry",
  path: "presence with telemetry off, beside metrics or traces on",
  seconds: 45,
  open: async (bench) => {
    const scratch = await bench.scratch((empty) => People.seed(empty, { count: PEOPLE, fixes: FIXES }))
    const side = async (environment: Readonly<Record<string, string>>): Promise<Side> =>
      asking(bench, [await bench.server(scratch, environment)], SECONDS)
    const exported = { ...(await collector(bench)), OTEL_METRIC_EXPORT_INTERVAL: "1000" }
    const traces = { ...exported, OTEL_METRICS_EXPORTER: "none" }
    return [
      {
        product: await side({}),
        peers: {
          metrics: await side({ ...exported, OTEL_TRACES_EXPORTER: "none" }),
          "one trace in 100": await side({ ...traces, ...ONE_IN_100 }),
          "every trace": await side(traces)
        },
        goals: [Goal.peerCost("one trace in 100", 1.05), Goal.peerCost("every trace", 1.4)],
        warmUpRounds: 8
      }
    ]
  }
}
