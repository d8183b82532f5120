import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Done, Order } from "../baselines/post.js"
import type { Bench } from "../harness/Bench.js"
import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import * as Peers from "../harness/peers.js"
import * as Program from "../harness/Program.js"
import type { Row, Sample, Side } from "../harness/Row.js"
import type { Scratch } from "../harness/Scratch.js"
import * as Usage from "../harness/Usage.js"
import * as Webhooks from "../harness/Webhooks.js"

const PEOPLE = 2_000
const ENDPOINTS = 50
const EVENTS = 20_000
/** The most deliveries that a worker has in flight. */
const AT_ONCE = 256

export const deliveries: Row = {
  name: "deliveries",
  path: `from the outbox to an https receiver, ${EVENTS.toLocaleString("en")} events, ${ENDPOINTS} endpoints, one worker`,
  seconds: 100,
  open: async (bench) => {
    const receiver = await Webhooks.receiver(bench)
    const { scratch, workers } = await withWorkers(bench, receiver, 1)
    const sender = bench.keep(
      Program.source("bare sender", fileURLToPath(new URL("../baselines/sender.ts", import.meta.url)), {
        ...receiver.environment
      })
    )
    return [
      {
        product: product(scratch, receiver, workers),
        baseline: () => sendAll(sender, receiver),
        peers: await peers(bench, receiver),
        goals: [
          Goal.throughputRatio(0.55),
          ...WORKS.flatMap(({ least, says }) =>
            Object.entries(least).map(([name, times]) => Goal.peerRatio(`${name}${says}`, times))
          ),
          Goal.peakMB("worker", 180)
        ]
      }
    ]
  }
}

const PEERS = { "pg-boss": "pgBoss.mjs", "graphile-worker": "graphileWorker.mjs" }
/**
 * The kinds of jobs that the compared job queues run (baselines/jobs.ts). `least`: for each queue, the ratio of the
 * product's throughput to the queue's throughput that the product must reach.
 */
const WORKS = [
  { work: "same", says: ", the same work", least: { "pg-boss": 2, "graphile-worker": 2 } },
  { work: "bare", says: ", a POST and a row", least: { "pg-boss": 1.2, "graphile-worker": 2 } }
] as const

/** Job queues that send the same webhooks. Each queue has a separate database for each kind of job. */
const peers = async (bench: Bench, receiver: Webhooks.Receiver): Promise<Readonly<Record<string, Side>>> => {
  if (!bench.withPeers) return {}
  const sides: Record<string, Side> = {}
  for (const [name, file] of Object.entries(PEERS)) {
    for (const { says, work } of WORKS) {
      const { url } = await bench.scratch()
      const running = bench.keep(
        Program.source(name, fileURLToPath(new URL("../baselines/queue.ts", import.meta.url)), receiver.environment, [
          pathToFileURL(Peers.path(file)).href,
          url,
          String(AT_ONCE),
          work
        ])
      )
      await Promise.race([once(running.child, "message"), running.untilEnd])
      sides[`${name}${says}`] = () => sendAll(running, receiver)
    }
  }
  return sides
}

/** Makes a database with endpoints and rules, and starts `count` workers on it. */
export const withWorkers = async (
  bench: Bench,
  receiver: Webhooks.Receiver,
  count: number,
  { endpoints = ENDPOINTS, tree }: { readonly endpoints?: number; readonly tree?: string } = {}
) => {
  const scratch = await bench.scratch(async (empty) => {
    await People.seed(empty, { count: PEOPLE })
    await Webhooks.seed(empty, { endpoints, people: PEOPLE, port: receiver.port })
  })
  const workers = await Promise.all(
    Array.from({ length: count }, () => bench.worker(scratch, receiver.environment, tree))
  )
  return { scratch, workers }
}

/** The number of rounds so far. It is a part of the ids of events, so that different rounds use different ids. */
let rounds = 0

/**
 * A side that runs the product. A round lasts from the commit of the events until the last of their deliveries has
 * ended.
 */
export const product =
  (scratch: Scratch, receiver: Webhooks.Receiver, workers: ReadonlyArray<Program.Running>, events = EVENTS) =>
  async (): Promise<Sample> => {
    const round = `r${rounds++}`
    const received = receiver.received(events)
    const cpu = () => workers.reduce((sum, { pid }) => sum + Usage.cpuMicros(pid), 0)
    // Vacuums and analyzes, as autovacuum does on a database in use. During a benchmark, autovacuum itself may be off,
    // or may start in the middle of a round and slow this round.
    await scratch.query("VACUUM (ANALYZE)")
    await scratch.query("BEGIN")
    await Webhooks.fire(scratch, { count: events, people: PEOPLE, round })
    const [start, before] = [performance.now(), cpu()]
    await scratch.query("COMMIT")
    await Promise.race([
      received,
      ...workers.map(({ untilEnd }) => untilEnd),
      sleep(PATIENCE_MS, undefined, { ref: false })
    ])
    if (performance.now() - start >= PATIENCE_MS) throw new Error(`rows after a minute: ${await standing(scratch)}`)
    const [first] = workers
    if (first === undefined) throw new Error("there is no worker")
    await Program.until(first, "all rows ended", async () => {
      const [row] = await scratch.query(`SELECT EXISTS (SELECT FROM events WHERE fanned_out_at IS NULL)
        OR EXISTS (SELECT FROM deliveries WHERE state = 'trying') AS waits`)
      return row?.["waits"] === false
    })
    const seconds = (performance.now() - start) / 1_000
    const cpuMicros = cpu() - before
    const [row] = await scratch.query(
      `SELECT count(*)::integer AS delivered FROM deliveries WHERE state = 'delivered' AND starts_with(event_id, $1)`,
      [`evt_${round}n`]
    )
    if (row?.["delivered"] !== events) throw new Error(`${String(row?.["delivered"])} of ${events} rows were delivered`)
    const peaks = workers.map((worker) => worker.peakMB() ?? 0)
    return {
      operations: events,
      seconds,
      p50Ms: null,
      p99Ms: null,
      cpuMicrosPerOp: cpuMicros / events,
      peakMB: Math.max(...peaks)
    }
  }

/**
 * If the receiver is too slow on a busy machine, deliveries fail and are retried minutes later. A round that takes
 * longer than this time would measure only the wait for the retries, so the round fails.
 */
const PATIENCE_MS = 60_000

const standing = async ({ query }: Scratch): Promise<string> =>
  JSON.stringify(
    await query(`SELECT d.state, d.attempt, a.error, count(*) FROM deliveries d
      LEFT JOIN delivery_attempts a ON a.app_id = d.app_id AND a.delivery_id = d.delivery_id GROUP BY 1, 2, 3`)
  )

/** Gives an `Order` to a process, which reports `Done` at the end. */
const sendAll = async (sender: Program.Running, receiver: Webhooks.Receiver): Promise<Sample> => {
  const received = receiver.received(EVENTS)
  const done = new Promise<Done>((resolve) => sender.child.once("message", resolve))
  const order: Order = {
    port: receiver.port,
    requests: EVENTS,
    endpoints: ENDPOINTS,
    people: PEOPLE,
    atOnce: AT_ONCE
  }
  sender.child.send(order)
  const { cpuMicros, peakMB, seconds } = await Promise.race([done, sender.untilEnd])
  await received
  return { operations: EVENTS, seconds, p50Ms: null, p99Ms: null, cpuMicrosPerOp: cpuMicros / EVENTS, peakMB }
}
