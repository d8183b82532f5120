import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { measured, type Order, post } from "./post.js"

/**
 * Sends the same webhooks with a general-purpose job queue, as a developer without the product would: one job for each
 * webhook, whose handler makes the POST and writes a log row. A round lasts from the commit of the jobs until every job
 * has ended.
 */

/** A job queue in `bench/peers`. */
interface Peer {
  /** Starts the queue. It calls `perform` with the number of each job, and runs at most `atOnce` jobs at once. */
  readonly start: (
    pool: pg.Pool,
    atOnce: number,
    perform: (n: number) => Promise<void>
  ) => Promise<{
    /** Adds jobs in the transaction of `client`. */
    readonly enqueue: (client: pg.PoolClient, numbers: ReadonlyArray<number>) => Promise<void>
    /** A statement that counts the jobs that have not ended, as `left`. */
    readonly left: string
  }>
}

const LOG = `CREATE TABLE attempts (n integer NOT NULL, started_at timestamptz NOT NULL, ended_at timestamptz NOT NULL,
  status integer NOT NULL, snippet text)`
const INSERT = "INSERT INTO attempts (n, started_at, ended_at, status, snippet) VALUES ($1, $2, $3, $4, '')"

const [path = "", connectionString = "", atOnce = "1"] = process.argv.slice(2)
const { start } = (await import(path)) as Peer
const pool = new pg.Pool({ connectionString, max: 10 })
await pool.query(LOG)
let order: Order | undefined

const queue = await start(pool, Number(atOnce), async (n) => {
  if (order === undefined) throw new Error("a job without an order")
  const startedAt = new Date()
  const status = await post(order, n)
  await pool.query({ name: "log", text: INSERT, values: [n, startedAt, new Date(), status] })
})

const round = async (requests: number) => {
  const client = await pool.connect()
  // Does what autovacuum does on a database in use: here autovacuum may be off, or start in the middle of a round.
  await client.query("VACUUM (ANALYZE)")
  await client.query("BEGIN")
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
  const { rows } = await pool.query<{ count: string }>(
    "WITH gone AS (DELETE FROM attempts RETURNING 1) SELECT count(*) FROM gone"
  )
  if (Number(rows[0]?.count) !== requests) throw new Error(`${rows[0]?.count} of ${requests} rows are in the log`)
  return done
}

process.on("message", async (given: Order) => {
  order = given
  const done = await round(given.requests)
  process.send?.(done)
})
process.send?.("ready")
