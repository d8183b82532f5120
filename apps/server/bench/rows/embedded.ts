import type { Bench, Served } from "../harness/Bench.js"
import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import * as Phones from "../harness/Phones.js"
import type { Comparison, Row, Sample } from "../harness/Row.js"
import * as Scratch from "../harness/Scratch.js"
import { asking, FIXES as FIXES_EACH, PEOPLE as ASKED } from "./asking.js"
import type * as UploadLoad from "./upload.load.js"

/**
 * Compares a server on the embedded database with a server on PostgreSQL, on the same machine and with the same
 * requests. No person has a rule: a server on the embedded database also does the worker's work, so it would send the
 * webhooks of rules during the measurement.
 */

const SECONDS = 3
const CLIENTS = 16
/** The number of people who upload to one server in one round. It is a multiple of `CLIENTS`. */
const PEOPLE = 512
const FIXES = 100
const WARM_UP_ROUNDS = 2

export const embedded: Row = {
  name: "embedded",
  path: "the embedded database, beside a server on PostgreSQL",
  seconds: 90,
  open: async (bench) => {
    const rounds = bench.rounds + WARM_UP_ROUNDS
    const seed = ({ query }: Pick<Scratch.Scratch, "query">) =>
      People.seed({ query }, { count: Math.max(ASKED, rounds * PEOPLE), fixes: FIXES_EACH })
    const DATA_DIR = await bench.directory()
    await Scratch.embedded(DATA_DIR, seed)
    const [alone, beside] = [await bench.embedded({ DATA_DIR }), await bench.server(await bench.scratch(seed))]
    const compare = (label: string, side: (server: Served) => () => Promise<Sample>): Comparison => ({
      label,
      product: side(alone),
      baseline: side(beside),
      warmUpRounds: WARM_UP_ROUNDS,
      goals: [Goal.throughputRatio(0.3)]
    })
    return [
      compare("presence", (server) => asking(bench, [server], SECONDS)),
      compare(`fixes in uploads of ${FIXES}`, (server) => uploading(bench, server))
    ]
  }
}

const uploading = (bench: Bench, { port, running }: Served) => {
  let round = 0
  return async (): Promise<Sample> => {
    const from = round++ * PEOPLE
    const sample = await bench.load([running], {
      script: new URL("upload.load.ts", import.meta.url),
      options: {
        from,
        people: PEOPLE,
        fixes: FIXES,
        startMs: Date.now() - Phones.BEHIND_MS
      } satisfies UploadLoad.Options,
      ports: [port],
      clients: CLIENTS,
      seconds: SECONDS
    })
    return {
      ...sample,
      operations: sample.operations * FIXES,
      cpuMicrosPerOp: sample.cpuMicrosPerOp / FIXES,
      clientCpuMicrosPerOp: sample.clientCpuMicrosPerOp / FIXES
    }
  }
}
