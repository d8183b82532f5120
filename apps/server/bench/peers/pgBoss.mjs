import PgBoss from "pg-boss"

/**
 * The number of jobs that a pg-boss worker takes in one batch. A worker that needs less than the polling interval for
 * its jobs pauses before it polls again. Large batches and few workers avoid this pause.
 */
const BATCH = 1_000
const WORKERS = 4

export const start = async (pool, atOnce, perform) => {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    supervise: false,
    schedule: false
  })
  boss.on("error", (error) => process.stderr.write(`${error}\n`))
  await boss.start()
  await boss.createQueue("deliveries")
  const limited = limit(atOnce)
  for (let n = 0; n < WORKERS; n++) {
    await boss.work("deliveries", { batchSize: BATCH, pollingIntervalSeconds: 0.5 }, async (jobs) => {
      await Promise.all(jobs.map(({ data }) => limited(() => perform(data.n))))
    })
  }
  return {
    enqueue: (client, numbers) =>
      boss.insert(
        numbers.map((n) => ({ name: "deliveries", data: { n } })),
        { db: { executeSql: (text, values) => client.query(text, values) } }
      ),
    left: "SELECT count(*) AS left FROM pgboss.job WHERE name = 'deliveries' AND state <> 'completed'"
  }
}

const limit = (most) => {
  let free = most
  const waiting = []
  return async (run) => {
    if (free > 0) free--
    else await new Promise((resolve) => waiting.push(resolve))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
