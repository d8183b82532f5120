import { SqlClient } from "@effect/sql/SqlClient"
import { type Database, Rows, SqlFixHistory, SqlImportStore } from "@place-access/adapters-pg"
import { Fix, FixHistory, FixStore } from "@place-access/domain/fixes"
import { Import, ImportStore } from "@place-access/domain/imports"
import { type History, HistoryStore } from "@place-access/domain/retention-choice"
import { type DeviceId, ImportId, Timestamp, type UserId } from "@place-access/domain/shared"
import { Fixtures, RuleSamples } from "@place-access/domain/testing"
import { Effect, FastCheck, Layer, Schema } from "effect"
import { expect, it } from "vitest"
import * as FixCounts from "../../src/history/FixCounts.js"
import { START, withStores } from "./contracts.js"
import { UploadStores } from "./uploadStores.js"

/**
 * Random scenarios of one user's fixes: uploads, imports, deletions, retention, and uploads by a previous release that
 * does not know the counts. A tally says how many fixes each day has, and uses stored counts if they are valid. After
 * each deed (a step of a scenario), the tally must be equal to a count of the fixes themselves.
 */

const { DAY, HOUR } = Timestamp
const MINUTE = 60_000

type Deed =
  | { readonly tag: "upload" | "file" | "previous release"; readonly times: ReadonlyArray<number> }
  /**
   * `taken`: the service accepts a reading that it had put aside, although it has an equal fix already. `place`: the
   * user adds a place, which raises the version of the user's data.
   */
  | { readonly tag: "taken" | "place" }
  | { readonly tag: "erase"; readonly from: number; readonly length: number }
  | { readonly tag: "keep"; readonly days: History.Keep }
  | { readonly tag: "sweep"; readonly limit: number }
  | { readonly tag: "count"; readonly fixesOfStep: number }
  | { readonly tag: "wait"; readonly millis: number }

/**
 * Times as offsets from now. Many of them are close to a boundary: the beginning of a half hour, the limit of 30 days,
 * or now.
 */
const time = FastCheck.oneof(
  FastCheck.integer({ min: -60 * DAY, max: 0 }),
  FastCheck.tuple(FastCheck.integer({ min: -90, max: 0 }), FastCheck.integer({ min: -1, max: 1 })).map(
    ([halves, millis]) => halves * 30 * MINUTE + millis
  ),
  FastCheck.integer({ min: -30 * DAY - HOUR, max: -30 * DAY + HOUR }),
  FastCheck.integer({ min: -HOUR, max: 0 })
)
const times = FastCheck.array(time, { minLength: 1, maxLength: 12 })

const deed: FastCheck.Arbitrary<Deed> = FastCheck.oneof(
  { weight: 6, arbitrary: FastCheck.record({ tag: FastCheck.constant("upload" as const), times }) },
  { weight: 2, arbitrary: FastCheck.record({ tag: FastCheck.constant("file" as const), times }) },
  { weight: 1, arbitrary: FastCheck.record({ tag: FastCheck.constant("previous release" as const), times }) },
  { weight: 1, arbitrary: FastCheck.record({ tag: FastCheck.constantFrom("taken" as const, "place" as const) }) },
  {
    weight: 2,
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("erase" as const),
      from: time,
      length: FastCheck.oneof(
        FastCheck.integer({ min: 1, max: 2 * HOUR }),
        FastCheck.integer({ min: 1, max: 30 * DAY })
      )
    })
  },
  {
    weight: 2,
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("keep" as const),
      days: FastCheck.constantFrom<History.Keep>(30, 90, null)
    })
  },
  {
    weight: 3,
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("sweep" as const),
      limit: FastCheck.constantFrom(1, 3, 100)
    })
  },
  {
    weight: 4,
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("count" as const),
      fixesOfStep: FastCheck.constantFrom(1, 5, 1_000)
    })
  },
  {
    weight: 2,
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("wait" as const),
      millis: FastCheck.integer({ min: 1, max: 2 * DAY })
    })
  }
)

const reading = (at: number): Fix.Fix => ({
  capturedAt: Timestamp.make(at),
  lat: 52,
  lon: 4,
  accuracyM: 5,
  altitudeM: null,
  speedMps: null,
  courseDeg: null
})

const NOTHING = {
  leftBehind: new Set<never>(),
  movement: null,
  quarantined: [],
  putAside: [],
  taken: [],
  arrivals: new Map<never, never>(),
  visits: [],
  events: []
}

const AtRow = Schema.Struct({ captured_at: Rows.At })

/** The correct result of a tally, computed from the fixes without the counts. */
const expected = (captured: ReadonlyArray<number>, edges: ReadonlyArray<number>) =>
  edges.slice(0, -1).flatMap((from, edge) => {
    const inside = captured.filter((at) => at >= from && at < (edges[edge + 1] ?? 0))
    return inside.length === 0
      ? []
      : [{ edge, fixes: inside.length, firstAt: Math.min(...inside), lastAt: Math.max(...inside) }]
  })

const live = (deeds: ReadonlyArray<Deed>, skew: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { id: userId } = yield* Fixtures.user
    const phone = yield* RuleSamples.device(userId)
    let now = START
    let keep: History.Keep = null
    let files = 0

    const commit = (fixes: ReadonlyArray<Fix.Fix>, taken: ReadonlyArray<string> = []) =>
      Effect.gen(function* () {
        const store = yield* FixStore
        const at = Timestamp.make(now)
        const { known, version } = yield* store.view(userId, [{ deviceId: phone.id, fixes }], at)
        const fresh = fixes.filter((fix) => known.get(phone.id)?.has(Fix.key(fix)) !== true || taken.length > 0)
        const upload = { deviceId: phone.id, receivedAt: at, fixes: fresh, ...NOTHING, taken }
        expect(yield* store.commit({ userId, version, uploads: [upload], states: [] })).toBe(true)
      })

    const distinct = (offsets: ReadonlyArray<number>) => [...new Set(offsets)].map((offset) => reading(now + offset))

    const act = (one: Deed) =>
      Effect.gen(function* () {
        switch (one.tag) {
          case "upload":
            return yield* commit(distinct(one.times))
          case "taken": {
            const [any] = yield* sql`SELECT captured_at FROM fixes WHERE user_id = ${userId} AND device_id = ${phone.id}
                                     LIMIT 1`.pipe(Rows.all(AtRow))
            return yield* commit([reading(any?.captured_at ?? now - 1), reading(now)], ["a key"])
          }
          case "place":
            return yield* Effect.asVoid(RuleSamples.place(userId))
          case "file":
            return yield* importFile(userId, `imp_${userId}_${files++}`, now, distinct(one.times))
          case "previous release":
            yield* sql`UPDATE upload_streams SET version = version + 1 WHERE user_id = ${userId}`
            for (const fix of distinct(one.times)) {
              yield* sql`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, received_at)
                         VALUES (${userId}, ${Rows.at(fix.capturedAt)}, ${phone.id}, 52, 4, ${Rows.at(now)})
                         ON CONFLICT DO NOTHING`
            }
            return
          case "erase": {
            const from = Timestamp.make(now + one.from)
            yield* (yield* HistoryStore).erase(
              userId,
              { from, until: Timestamp.plus(from, one.length) },
              Timestamp.make(now)
            )
            return
          }
          case "keep":
            keep = one.days
            return yield* (yield* HistoryStore).choose(userId, one.days, Timestamp.make(now))
          case "sweep":
            return yield* Effect.asVoid(
              (yield* HistoryStore).removePast(
                userId,
                { now: Timestamp.make(now), accessLogUntil: Timestamp.make(0) },
                one.limit
              )
            )
          case "count":
            if (one.fixesOfStep === 5) return yield* FixCounts.prepareAll(sql, userId, Timestamp.make(now), 5)
            return yield* FixCounts.prepare(
              sql,
              userId,
              Timestamp.make(now),
              Timestamp.make(now - 50 * DAY),
              Timestamp.make(now),
              one.fixesOfStep
            )
          case "wait":
            now += one.millis
        }
      })

    let counted = 0
    for (const [index, one] of deeds.entries()) {
      yield* act(one)
      const rows = yield* sql`SELECT captured_at FROM fixes WHERE user_id = ${userId}`.pipe(Rows.all(AtRow))
      const cutoff = keep === null ? Number.NEGATIVE_INFINITY : now - keep * DAY
      const captured = rows.map((row) => row.captured_at).filter((at) => at > cutoff)
      // A tally of more than 31 days may store counts itself (`FixCounts.prepare`). These tallies are of 30 days, so
      // that only the deeds store counts.
      for (const first of [now - 60 * DAY + skew, now - 30 * DAY + skew]) {
        const edges = Array.from({ length: 31 }, (_, day) => Timestamp.make(first + day * DAY))
        const found = yield* (yield* FixHistory).tally(userId, Timestamp.make(now), edges)
        expect({ index, one, first, found }).toEqual({ index, one, first, found: expected(captured, edges) })
      }
      const [standing] = yield* sql`SELECT counted_version = version AS holds FROM upload_streams
                                    WHERE user_id = ${userId}`
      if (standing?.["holds"] === true) counted++
    }
    return counted
  })

const importFile = (userId: UserId, name: string, now: number, fixes: ReadonlyArray<Fix.Fix>) =>
  Effect.gen(function* () {
    const store = yield* ImportStore
    const [id, at] = [ImportId.make(name), Timestamp.make(now)]
    const deviceId = `dev_${name}` as DeviceId
    const begun = { userId, id, deviceId, fileName: "a.gpx", tokenHash: name as never, at }
    expect(yield* store.begin(begun, Import.MAX_OPEN)).toBe(true)
    yield* store.complete(begun, 0, at)
    const leased = { userId, id, lease: name }
    yield* store.claim(leased, at, Timestamp.plus(at, Import.RETRY_AFTER))
    const counts = { format: "gpx" as const, bytesDone: 1, read: fixes.length, tooRecent: 0, tooOld: 0, quarantined: 0 }
    expect(
      yield* store.advance({ ...leased, at, ...counts, fixes, visits: [], places: [], notices: [], erasures: [] })
    ).toBe(true)
    yield* store.finish(leased, null, at)
  })

/**
 * A user lengthens the time for which history is kept, after retention has deleted fixes. No later tally may count the
 * deleted fixes.
 */
const LENGTHENED: Array<Deed> = [
  { tag: "upload", times: [-50 * DAY, -30 * DAY - 1, -30 * DAY + 1] },
  { tag: "count", fixesOfStep: 1_000 },
  { tag: "keep", days: 30 },
  { tag: "sweep", limit: 100 },
  { tag: "keep", days: null },
  { tag: "count", fixesOfStep: 1_000 },
  { tag: "upload", times: [-50 * DAY] },
  { tag: "previous release", times: [-40 * DAY] }
]

/** Runs an import that stores `stored` entries. Returns whether the user's counts are valid afterwards. */
const holdsAfterImport = (stored: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const store = yield* ImportStore
    const { id: userId } = yield* Fixtures.user
    const at = Timestamp.make(START)
    const leased = { userId, id: ImportId.make(`imp_${userId}`), lease: "work" }
    const begun = { ...leased, deviceId: `dev_${userId}` as DeviceId, fileName: "a", tokenHash: userId as never, at }
    yield* store.begin(begun, Import.MAX_OPEN)
    yield* store.complete(begun, 0, at)
    yield* store.claim(leased, at, Timestamp.plus(at, Import.RETRY_AFTER))
    yield* sql`UPDATE imports SET stored = ${stored} WHERE user_id = ${userId}`
    expect(yield* store.finish(leased, null, at)).toBe(true)
    const [standing] = yield* sql`SELECT counted_version = version AS holds FROM upload_streams
                                  WHERE user_id = ${userId}`
    return standing?.["holds"] === true
  })

/** Runs `lives` random scenarios on a database. */
export const fixCountLivesOn = (database: Layer.Layer<Database>, lives: number): void => {
  const run = withStores(database, Layer.mergeAll(UploadStores, SqlFixHistory.layer, SqlImportStore.layer))

  it("after every deed of a life, a tally says what the fixes say [fixes-7]", async () => {
    let counted = 0
    await FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.array(deed, { minLength: 5, maxLength: 25 }),
        FastCheck.constantFrom(0, 15 * MINUTE, 7 * MINUTE + 1, 30 * MINUTE),
        async (deeds, skew) => {
          counted += await run(live(deeds, skew))
        }
      ),
      { numRuns: lives, examples: [[LENGTHENED, 0]] }
    )
    // Many deeds must leave valid counts. Otherwise the test would compare one count of the fixes with another count of
    // the fixes, and prove nothing.
    expect(counted).toBeGreaterThan(lives)
  })

  it("the end of a large import makes the counts, that of a small one does not [fixes-7]", async () => {
    expect(await run(Effect.all([holdsAfterImport(49_999), holdsAfterImport(50_000)]))).toEqual([false, true])
  })
}
