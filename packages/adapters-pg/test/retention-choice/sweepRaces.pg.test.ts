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
                visits: [],
                states: [],
                events: []
              }
              expect(
                yield* store.commit({ userId, deviceId: id, receivedAt: now, version, fixes: [kept], ...parts })
              ).toBe(true)
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
        // A sweep skips rows that another sweep has locked, and the other sweep deletes them. One more sweep deletes
        // any that are left.
        const last = yield* sweepHistory(now)
        expect(removed.reduce((sum, one) => sum + one, last)).toBe(PEOPLE * OLD)
        const rows = yield* sql`SELECT user_id, count(*)::integer AS count FROM fixes GROUP BY user_id`
        expect(rows.map(({ count }) => count)).toEqual(Array.from({ length: PEOPLE }, () => 20))
      })
    ))
})
