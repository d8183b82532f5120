import { listDays } from "@place-access/domain/fixes"
import { Timestamp, UserId } from "@place-access/domain/shared"
import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import { percentile } from "../harness/percentile.js"
import type { Comparison, Row, Sample } from "../harness/Row.js"

/**
 * Measures the list of days of one person who has a million fixes in a year. The product reads stored counts; the
 * baseline counts the fixes.
 */

const DAYS = 366
const FIXES = 1_000_000
const DAY = 86_400_000
const QUESTIONS = 8
/** How many times the baseline runs in a round. Two runs are enough, because each takes about a second. */
const COUNTS = 2

export const days: Row = {
  name: "days",
  path: "the days of a year with 1 M fixes, beside counting the fixes",
  seconds: 90,
  open: async (bench) => {
    const scratch = await bench.scratch(async (empty) => {
      await People.seed(empty, { count: 1 })
      await empty.query(`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, accuracy_m, received_at)
        SELECT 'usr_b0', now() - make_interval(secs => i * ${(DAYS * 86_400) / FIXES}), 'dev_b0',
          ${People.LAT}, ${People.LON}, 10, now()
        FROM generate_series(1, ${FIXES}) AS i`)
    })
    const until = Date.now()
    const span = { from: Timestamp.make(until - DAYS * DAY), until: Timestamp.make(until) }
    const ask = (zone: string) => scratch.run(listDays(UserId.make(People.user(0)), span, zone))
    const begin = performance.now()
    await ask("UTC")
    const firstMs = Math.round(performance.now() - begin)

    const edges = Array.from({ length: DAYS + 1 }, (_, day) => new Date(until - (DAYS - day) * DAY).toISOString())
    const count = () =>
      scratch.query(
        `SELECT width_bucket(captured_at, $1::timestamptz[]) - 1 AS edge, count(*), min(captured_at), max(captured_at)
         FROM fixes WHERE user_id = 'usr_b0' AND captured_at >= $2 AND captured_at < $3 GROUP BY 1 ORDER BY 1`,
        [edges, edges[0], edges.at(-1)]
      )
    const compare = (zone: string): Comparison => ({
      label: zone,
      product: () => timed(QUESTIONS, () => ask(zone)),
      baseline: () => timed(COUNTS, count),
      goals: [Goal.p50Ms(100)],
      notes: () => [`the first question made the counts: ${firstMs} ms`]
    })
    return ["Europe/Berlin", "Asia/Kathmandu"].map(compare)
  }
}

const timed = async (times: number, ask: () => Promise<unknown>): Promise<Sample> => {
  const begin = performance.now()
  const latenciesMs: Array<number> = []
  for (let count = 0; count < times; count++) {
    const startedAt = performance.now()
    await ask()
    latenciesMs.push(performance.now() - startedAt)
  }
  latenciesMs.sort((a, b) => a - b)
  return {
    operations: times,
    seconds: (performance.now() - begin) / 1_000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    cpuMicrosPerOp: null,
    peakMB: null
  }
}
