import { DeliveryStore } from "@place-access/domain/deliveries"
import { Timestamp } from "@place-access/domain/shared"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"
import type { Bench, Served } from "../harness/Bench.js"
import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import { percentile } from "../harness/percentile.js"
import type { Comparison, Row, Side } from "../harness/Row.js"
import type { Scratch } from "../harness/Scratch.js"
import type { Options } from "./growth.load.js"

/**
 * Compares the product on a large database with the product on a small database, which is the baseline of each
 * comparison.
 */

interface Size {
  readonly people: number
  /**
   * The number of fixes of person 0, besides the one fix of `People.seed`. This person also has one stay for each
   * `FIXES_PER_STAY` of these fixes.
   */
  readonly fixes: number
  /** The number of deliveries that wait to be sent, spread over `ENDPOINTS` endpoints. */
  readonly waiting: number
}

const SMALL: Size = { people: 1_000, fixes: 10_000, waiting: 2_000 }
const LARGE: Size = { people: 100_000, fixes: 1_000_000, waiting: 200_000 }
const ENDPOINTS = 50
/** Person 0's fixes are spread over this number of days. */
const DAYS = 80
const FIXES_PER_STAY = 250

const CLIENTS = 4
const SECONDS = 1.2
const PEOPLE_OF_ROUND = 200
const CLAIMS_OF_ROUND = 30

interface Grown {
  readonly bench: Bench
  readonly size: Size
  readonly scratch: Scratch
  readonly served: Served
}

export const growth: Row = {
  name: "growth",
  path: "a database that has grown, beside a small one",
  seconds: 110,
  open: async (bench) => {
    const small = await grow(bench, SMALL)
    const large = await grow(bench, LARGE)
    const compare = (label: string, side: (grown: Grown) => Side): Comparison => ({
      label,
      product: side(large),
      baseline: side(small),
      goals: [Goal.p50Ratio(1.5)]
    })
    return [
      compare("lookup: 1 M fixes of one user, beside 10 k", history("lookup")),
      compare("visits: 1 M fixes of one user, beside 10 k", history("visits")),
      compare("presence: 100 k connections, beside 1 k", everybody("presence.load.ts")),
      compare("refresh: 100 k connections, beside 1 k", everybody("refresh.load.ts")),
      compare("claim: 200 k waiting deliveries, beside 2 k", claims)
    ]
  }
}

const history =
  (what: Options["what"]) =>
  (grown: Grown): Side =>
  () => {
    const until = Date.now() - 3_600_000
    const options: Options = { what, from: until - (DAYS - 1) * 86_400_000, until }
    return loaded(grown, "growth.load.ts", options)
  }

/**
 * Makes a side that runs a load script against one database, the small or the large one. Each round uses people that no
 * earlier round has used, because a refresh token can be used only once. The people of the small database are enough
 * for five rounds, the warm-up round included.
 */
const everybody =
  (script: string) =>
  (grown: Grown): Side => {
    let round = 0
    return () =>
      loaded(grown, script, { people: grown.size.people, from: round++ * PEOPLE_OF_ROUND, count: PEOPLE_OF_ROUND })
  }

const loaded = ({ bench, served }: Grown, script: string, options: unknown) =>
  bench.load([served.running], {
    script: new URL(script, import.meta.url),
    options,
    ports: [served.port],
    clients: CLIENTS,
    seconds: SECONDS,
    warmUpSeconds: 0.3
  })

/** A side that runs the worker's claim of deliveries and rolls it back, so that the backlog does not change. */
const claims =
  ({ scratch }: Grown): Side =>
  async () => {
    const begin = performance.now()
    const latenciesMs: Array<number> = []
    for (let count = 0; count < CLAIMS_OF_ROUND; count++) latenciesMs.push(await scratch.run(claimAndUndo))
    latenciesMs.sort((a, b) => a - b)
    return {
      operations: CLAIMS_OF_ROUND,
      seconds: (performance.now() - begin) / 1_000,
      p50Ms: percentile(latenciesMs, 0.5),
      p99Ms: percentile(latenciesMs, 0.99),
      cpuMicrosPerOp: null,
      peakMB: null
    }
  }

const claimAndUndo = Effect.gen(function* () {
  const sql = yield* SqlClient
  const deliveries = yield* DeliveryStore
  let ms = Number.NaN
  yield* Effect.gen(function* () {
    const now = Timestamp.make(Date.now())
    const begin = performance.now()
    const { claims } = yield* deliveries.claim({
      limit: 100,
      perEndpoint: 8,
      lease: "bench",
      now,
      leaseUntil: Timestamp.plus(now, 30_000)
    })
    ms = performance.now() - begin
    if (claims.length !== 100) return yield* Effect.dieMessage(`${claims.length} deliveries were claimed, not 100`)
    return yield* Effect.fail("undo" as const)
  }).pipe(
    sql.withTransaction,
    Effect.catchIf(
      (error) => error === "undo",
      () => Effect.void
    )
  )
  return ms
})

const grow = async (bench: Bench, size: Size): Promise<Grown> => {
  const scratch = await bench.scratch((empty) => seed(empty, size))
  return { bench, size, scratch, served: await bench.server(scratch) }
}

const seed = async (scratch: Scratch, size: Size): Promise<void> => {
  await People.seed(scratch, { count: size.people })
  const everyS = (DAYS * 86_400) / size.fixes
  await scratch.query(`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, accuracy_m, received_at)
    SELECT 'usr_b0', now() - make_interval(secs => i * ${everyS}), 'dev_b0',
      ${People.LAT} + CASE WHEN i % ${FIXES_PER_STAY} < ${FIXES_PER_STAY / 2} THEN 0 ELSE 0.02 END, ${People.LON}, 10,
        now()
    FROM generate_series(1, ${size.fixes}) AS i`)
  await scratch.query(`INSERT INTO stays (user_id, place_id, device_id, arrival, departure)
    SELECT 'usr_b0', 'plc_b0', 'dev_b0', now() - make_interval(secs => i * ${everyS * FIXES_PER_STAY}),
      now() - make_interval(secs => (i - 0.5) * ${everyS * FIXES_PER_STAY})
    FROM generate_series(1, ${size.fixes / FIXES_PER_STAY}) AS i`)
  await scratch.query(`INSERT INTO endpoints (app_id, endpoint_id, url, events, epoch, strikes, secrets, created_at)
    SELECT '${People.APP}', 'ep_b' || i, 'https://app.example.com/' || i, '{}', 1, 0, '[]', now()
    FROM generate_series(1, ${ENDPOINTS}) AS i`)
  await scratch.query(`INSERT INTO deliveries (app_id, delivery_id, endpoint_id, endpoint_epoch, event_id, replay_no, is_test, user_id,
      envelope, type, occurred_at, state, attempt, due_at, created_at)
    SELECT '${People.APP}', 'del_b' || i, 'ep_b' || 1 + i % ${ENDPOINTS}, 1, 'evt_b' || i, 0, false, 'usr_b1',
      '{"grantId":"con_b1","payload":{"type":"places.changed","placesVersion":1}}', 'places.changed', now(), 'trying', 1, now(), now()
    FROM generate_series(1, ${size.waiting}) AS i`)
}
