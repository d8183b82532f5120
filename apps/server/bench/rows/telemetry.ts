import { fileURLToPath } from "node:url"
import { load } from "../harness/load.js"
import * as People from "../harness/People.js"
import * as Program from "../harness/Program.js"
import type { Row, Side } from "../harness/Row.js"

const PEOPLE = 1_000
const CLIENTS = 32
const SECONDS = 1.5

/** The same server three times, told to measure nothing, to measure, and to trace every request as well. */
export const telemetry: Row = {
  name: "telemetry",
  path: "presence with telemetry off, beside metrics and traces on",
  seconds: 45,
  open: async (bench) => {
    const scratch = await bench.scratch()
    await People.seed(scratch, { count: PEOPLE, fixes: 20 })
    await scratch.settle()
    const port = await Program.freePort()
    const collector = bench.keep(
      Program.source("collector", fileURLToPath(new URL("../baselines/collector.ts", import.meta.url)))
    )
    collector.child.send({ port })
    await Program.answers(collector, `http://127.0.0.1:${port}/`)

    const side = async (environment: Readonly<Record<string, string>>): Promise<Side> => {
      const { port, running } = await bench.server(scratch, environment)
      return () =>
        load([running], {
          script: new URL("presence.load.ts", import.meta.url),
          options: { people: PEOPLE },
          ports: [port],
          clients: CLIENTS,
          seconds: SECONDS
        })
    }
    const exported = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_METRIC_EXPORT_INTERVAL: "1000" }
    return [
      {
        product: await side({}),
        peers: {
          "metrics on": await side({ ...exported, OTEL_TRACES_EXPORTER: "none" }),
          "and one trace in 100": await side({
            ...exported,
            OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
            OTEL_TRACES_SAMPLER_ARG: "0.01"
          }),
          "and every trace": await side(exported)
        },
        // Reported: what it costs is what whoever switches it on wants to know.
        goals: [],
        warmUpRounds: 3
      }
    ]
  }
}
