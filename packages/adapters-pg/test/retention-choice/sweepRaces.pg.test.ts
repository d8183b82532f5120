import { SqlClient } from "@effect/sql/SqlClient"
import { Rows, SqlHistoryStore } from "@place-access/adapters-pg"
import { FixStore } from "@place-access/domain/fixes"
import { HistoryStore } from "@place-access/domain/retention-choice"
import { sweepHistory } from "@place-access/domain/sweeps"
import { Timestamp, type UserId } from "@place-access/domain/shared"
import { Fixtures, RuleSamples } from "@place-access/domain/testing"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"
import { waits } from "../support/waits.js"
import { UploadStores } from "../support/uploadStores.js"

const { DAY } = Timestamp
const PEOPLE = 12
const OLD = 2_500

describeServers("sweepHistory, several workers at once", (server) => {
  const run = withStores(migratedOn(server), Layer.merge(SqlHistoryStore.layer, UploadStores))

  it("each row is deleted once and counted once, while phones go on uploading; nothing that is kept is touched [retention-choice-3]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const now = yield* Timestamp.now
        const phones = yield* Effect.forEach(Array.from({ length: PEOPLE }), () =>
          Effect.flatMap(Fixtures.user, ({ id }) => RuleSamples.device(id))
        )
        const choices = yield* HistoryStore
        for (const { userId } of phones) yield* choices.choose(userId, 90, now)
        yield* sql`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, received_at)
          SELECT u, ${Rows.at(now - 90 * DAY)}::timestamptz - n * interval '1 minute', 'dev_old', 1, 2, ${Rows.at(now)}::timestamptz
          FROM unnest(${phones.map(({ userId }) => userId)}::text[]) u, generate_series(0, ${OLD - 1}::integer) n`
        const upload = ({ id, userId }: { readonly id: (typeof phones)[number]["id"]; readonly userId: UserId }) =>
          Effect.gen(function* () {
            const store = yield* FixStore
            for (let version = 0; version < 20; version++) {
              const fix = { lat: 1, lon: 2, accuracyM: 5, altitudeM: null, speedMps: null, courseDeg: null }
              const kept = { ...fix, capturedAt: Timestamp.plus(now, -90 * DAY + 1 + version) }
              const parts = {
                quarantined: [],
                leftBehind: new Set<never>(),
                movement: null,
                putAside: [],
                taken: [],
                arrivals: new Map<never, never>(),
                visits: [],
                events: []
              }
              const upload = { deviceId: id, receivedAt: now, fixes: [kept], ...parts }
              expect(yield* store.commit({ userId, version, uploads: [upload], states: [] })).toBe(true)
            }
          })
        const workers = Array.from({ length: 4 }, () => sweepHistory(now))
        const [removed] = yield* Effect.all(
          [
            Effect.all(workers, { concurrency: "unbounded" }),
            Effect.forEach(phones, upload, { concurrency: "unbounded" })
          ],
          { concurrency: "unbounded" }
        )
        // A sweep skips rows that another sweep has locked, because that sweep deletes them. One more sweep deletes
        // what the four sweeps have left. Together they must have deleted each old row exactly once.
        const last = yield* sweepHistory(now)
        expect(removed.reduce((sum, one) => sum + one, last)).toBe(PEOPLE * OLD)
        const rows = yield* sql`SELECT user_id, count(*)::integer AS count FROM fixes GROUP BY user_id`
        expect(rows.map(({ count }) => count)).toEqual(Array.from({ length: PEOPLE }, () => 20))
      })
    ))

  it("a person whose rows cannot be read because of a bug holds up the deletion for nobody else [retention-choice-3]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const now = yield* Timestamp.now
        const history = yield* HistoryStore
        const phones = yield* Effect.forEach([1, 2, 3], () =>
          Effect.flatMap(Fixtures.user, ({ id }) => RuleSamples.device(id))
        )
        const [broken, ...others] = phones
        for (const { userId } of phones) yield* history.choose(userId, 30, now)
        for (const { id, userId } of others) {
          yield* sql`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, received_at)
            VALUES (${userId}, ${Rows.at(now - 90 * DAY)}, ${id}, 1, 2, ${Rows.at(now)})`
        }
        yield* sql`UPDATE devices SET movement = '{"heard_at": "soon"}'::jsonb WHERE user_id = ${broken?.userId ?? ""}`
        yield* sweepHistory(now)
        for (const { userId } of others) expect(yield* sql`SELECT 1 FROM fixes WHERE user_id = ${userId}`).toEqual([])
      })
    ))

  it("a choice made while a sweep works holds for its next statement [retention-choice-3]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const now = yield* Timestamp.now
        const history = yield* HistoryStore
        const { id, userId } = yield* Effect.flatMap(Fixtures.user, (user) => RuleSamples.device(user.id))
        yield* history.choose(userId, 30, now)
        yield* sql`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, received_at)
          SELECT ${userId}, ${Rows.at(now - 90 * DAY)}::timestamptz - n * interval '1 minute', ${id}, 1, 2,
                 ${Rows.at(now)}::timestamptz
          FROM generate_series(1, 10) n`
        const isLocked = yield* Effect.makeLatch()
        const choose = sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT 1 FROM upload_streams WHERE user_id = ${userId} FOR UPDATE`
            yield* isLocked.open
            // The sweep reads the user's choice of 30 days first, and then waits for the lock of the row of
            // `upload_streams`. The choice changes while the sweep waits.
            yield* Effect.repeat(waits(sql), { until: (waiting) => waiting })
            yield* history.choose(userId, null, now)
          })
        )
        const moments = { now, accessLogUntil: Timestamp.plus(now, -400 * DAY) }
        const remove = Effect.zipRight(isLocked.await, history.removePast(userId, moments, 100))
        const [, removed] = yield* Effect.all([choose, remove], { concurrency: "unbounded" })
        expect(removed).toBe(0)
        yield* history.choose(userId, 30, now)
        expect(yield* history.removePast(userId, moments, 100)).toBe(10)
      })
    ))
})
