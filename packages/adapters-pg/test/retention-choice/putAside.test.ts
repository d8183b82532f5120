import { SqlClient } from "@effect/sql/SqlClient"
import { SqlHistoryStore } from "@place-access/adapters-pg"
import { Erasure, HistoryStore } from "@place-access/domain/retention-choice"
import { Timestamp, UserId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { withStores } from "../support/contracts.js"
import { migratedEmbedded } from "../support/embedded.js"

const OWNER = UserId.make("usr_1")
const at = (minutes: number) => Timestamp.make(minutes * Timestamp.MINUTE)
const STRETCH: Erasure.Stretch = { from: at(1_000), until: at(1_010) }
/** Times before, in and after the stretch, and its first and last instants. */
const TIMES = [0, 1_000, 1_009.999, 1_010, 2_000].map(at)

const readings: ReadonlyArray<Erasure.PutAside["reading"]> = [
  ...TIMES.map((capturedAt) => ({ capturedAt })),
  ...[null, ...TIMES].flatMap((arrival) => [null, ...TIMES].map((departure) => ({ arrival, departure })))
]
const all = TIMES.flatMap((receivedAt) => readings.map((reading): Erasure.PutAside => ({ reading, receivedAt })))
const keyOf = ({ reading, receivedAt }: Erasure.PutAside): string => JSON.stringify([receivedAt, reading])

const run = withStores(migratedEmbedded, SqlHistoryStore.layer)

it("SQL deletes the quarantined readings and visit reports that may come from the stretch, and no other [retention-choice-5]", () =>
  run(
    Effect.gen(function* () {
      const sql = yield* SqlClient
      for (const one of all) {
        yield* sql`INSERT INTO quarantined_fixes (user_id, device_id, reading_key, reason, reading, received_at)
                   VALUES (${OWNER}, 'dev_1', ${keyOf(one)}, 'too_old', ${JSON.stringify(one.reading)}::jsonb,
                           ${new Date(one.receivedAt)})`
      }
      yield* sql`INSERT INTO quarantined_fixes (user_id, device_id, reading_key, reason, reading, received_at)
                 VALUES (${OWNER}, 'dev_1', 'no time', 'unreadable', '{"capturedAt": "12:00", "arrival": true}',
                         ${new Date(at(2_000))})`
      yield* (yield* HistoryStore).erase(OWNER, STRETCH, at(3_000))
      const left = yield* sql<{ readonly reading_key: string }>`SELECT reading_key FROM quarantined_fixes`
      const kept = all.filter((one) => !Erasure.mayComeFrom(one, [STRETCH])).map(keyOf)
      expect(left.map((row) => row.reading_key).toSorted()).toEqual([...kept, "no time"].toSorted())
    })
  ))
