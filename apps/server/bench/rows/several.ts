import type { Bench } from "../harness/Bench.js"
import * as CpuShare from "../harness/CpuShare.js"
import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import type { Comparison, Row, Side } from "../harness/Row.js"
import * as Webhooks from "../harness/Webhooks.js"
import { asking, FIXES, PEOPLE } from "./asking.js"
import * as Deliveries from "./deliveries.js"

const SECONDS = 4
/**
 * How many seconds each server works at full speed before it gets its share of a core. In this time V8 compiles the
 * functions that run often. A server that compiled with its share of a core would still compile while it is measured.
 */
const WARM_UP_SECONDS = 6
/** The number of rounds that warm a worker up. */
const WARM_UP_ROUNDS = 8

/** The number of events in a round for each worker, enough for about three seconds. */
const EVENTS = 1_200
/**
 * The number of endpoints. All workers together have at most eight attempts at one endpoint in flight at the same time;
 * with 400 endpoints this limit does not slow four workers.
 */
const ENDPOINTS = 400

/**
 * The share of a core for each process. On two cores, four processes then leave more than one core to PostgreSQL, the
 * load client and the receiver.
 */
const SHARE = 0.15

/**
 * The comparisons: `count` processes with one process. `least`: how many times the work of one process they must do.
 */
const COUNTS = [
  { count: 2, least: 1.8 },
  { count: 4, least: 3.2 }
] as const

/**
 * Compares two and four servers with one server, and two and four workers with one worker. On two cores one process at
 * full speed would leave no processor time for a second process, so each process gets a share of a core.
 */
export const several: Row = {
  name: "several",
  path: `two and four servers and workers, beside one of them; each has ${SHARE} of a core`,
  seconds: 210,
  onlyByName: true,
  open: async (bench) => [...(await servers(bench)), ...(await workers(bench))]
}

/** The comparisons of servers. All servers use one database. */
const servers = async (bench: Bench): Promise<ReadonlyArray<Comparison>> => {
  const scratch = await bench.scratch((empty) => People.seed(empty, { count: PEOPLE, fixes: FIXES }))
  const four = [
    await bench.server(scratch),
    await bench.server(scratch),
    await bench.server(scratch),
    await bench.server(scratch)
  ]
  for (const one of four) await asking(bench, [one], WARM_UP_SECONDS)()
  await CpuShare.limit(
    bench,
    four.map(({ running }) => running),
    SHARE
  )
  return compared("servers", (count) => asking(bench, four.slice(0, count), SECONDS))
}

/**
 * The comparisons of workers. Each number of workers has its own database, so that the other workers, which keep
 * running, claim none of these deliveries. An idle worker polls once a second, which costs little.
 */
const workers = async (bench: Bench): Promise<ReadonlyArray<Comparison>> => {
  const receiver = await Webhooks.receiver(bench)
  const sides = new Map<number, Side>()
  for (const count of [1, ...COUNTS.map(({ count }) => count)]) {
    const { scratch, workers } = await Deliveries.withWorkers(bench, receiver, count, { endpoints: ENDPOINTS })
    const side = Deliveries.product(scratch, receiver, workers, EVENTS * count)
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await side()
    await CpuShare.limit(bench, workers, SHARE)
    sides.set(count, side)
  }
  return compared("workers", (count) => sides.get(count) ?? Promise.reject)
}

const compared = (what: string, side: (count: number) => Side): ReadonlyArray<Comparison> =>
  COUNTS.map(({ count, least }) => ({
    label: `${count} ${what}`,
    product: side(count),
    baseline: side(1),
    goals: [Goal.throughputRatio(least)],
    warmUpRounds: 3
  }))
