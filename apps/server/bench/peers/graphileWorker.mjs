import { Logger, run } from "graphile-worker"

const ADD = `SELECT graphile_worker.add_jobs(array_agg(json_populate_record(NULL::graphile_worker.job_spec,
  json_build_object('identifier', 'deliver', 'payload', json_build_object('n', n))))) FROM unnest($1::integer[]) AS n`

export const start = async (pool, atOnce, perform) => {
  await run({
    pgPool: pool,
    concurrency: atOnce,
    noHandleSignals: true,
    pollInterval: 1_000,
    logger: new Logger(() => () => undefined),
    taskList: { deliver: ({ n }) => perform(n) }
  })
  return {
    enqueue: async (client, numbers) => {
      await client.query(ADD, [numbers])
    },
    left: "SELECT count(*) AS left FROM graphile_worker._private_jobs"
  }
}
