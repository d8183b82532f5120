import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { jobs } from "./jobs.js"
import { measured, type Order } from "./post.js"

/**
 * Sends the product's webhooks with a general-purpose job queue, as a developer without the product would: one job for
 * each webhook. The last argument of the process chooses the kind of job, `bare` or `same` (jobs.ts). A round lasts
 * from the commit of the jobs until every job has ended.
 */

/** A job queue in `bench/peers`. */
interface Peer {
  /**
   * Starts the queue. The queue calls `perform` with the number of each job, and runs at most `atOnce` jobs at the same
   * time.
   */
  readonly start: (
    pool: pg.Pool,
    atOnce: number,
    perform: (n: number) => Promise<void>
  ) => Promise<{
    /** Adds jobs in the transaction of `client`. */
    readonly enqueue: (client: pg.PoolClient, numbers: ReadonlyArray<number>) => Promise<void>
    /** A statement that counts the jobs that have not ended, in a column `left`. */
    readonly left: string
  }>
}

const [path = "", connectionString = "", atOnce = "1", work = ""] = process.argv.slice(2)
const job = work === "same" ? jobs.same : jobs.bare
const { start } = (await import(path)) as Peer
const pool = new pg.Pool({ connectionString, max: 10 })
await pool.query(job.tables)
let order: Order | undefined

const queue = await start(pool, Number(atOnce), async (n) => {
  if (order === undefined) throw new Error("a job without an order")
  await job.perform(pool, order, n)
})

const round = async (given: Order) => {
  const { requests } = given
  const client = await pool.connect()
  // Vacuums and analyzes, as autovacuum does on a database in use. During a benchmark, autovacuum itself may be off, or
  // may start in the middle of a round and slow this round.
  await client.query("VACUUM (ANALYZE)")
  await client.query("BEGIN")
  await job.prepare(client, given)
  await queue.enqueue(
    client,
    Array.from({ length: requests }, (_, n) => n)
  )
  await client.query("ANALYZE")
  const done = await measured(async () => {
    await client.query("COMMIT")
    client.release()
    for (let left = 1; left > 0;) {
      await sleep(50)
      left = Number((await pool.query<{ left: string }>(queue.left)).rows[0]?.left)
    }
  })
  const { rows } = await pool.query<{ sent: string }>(job.finish)
  if (Number(rows[0]?.sent) !== requests) throw new Error(`${rows[0]?.sent} of ${requests} webhooks left their rows`)
  return done
}

process.on("message", async (given: Order) => {
  order = given
  const done = await round(given)
  process.send?.(done)
})
process.send?.("ready")
