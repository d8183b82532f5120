import { SqlClient } from "@effect/sql/SqlClient"
import { Rows } from "@place-access/adapters-pg"
import { FixStore } from "@place-access/domain/fixes"
import { Erasure, HistoryStore } from "@place-access/domain/retention-choice"
import { Timestamp } from "@place-access/domain/shared"
import { UploadSamples, VisitSamples } from "@place-access/domain/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"
import { VisitStores } from "../support/visitStores.js"

describeServers("a person with the most deleted stretches", (server) => {
  const run = withStores(migratedOn(server), VisitStores)

  it("deletes no further stretch, but one that touches others [retention-choice-4]", () =>
    run(
      Effect.gen(function* () {
        const [sql, store] = [yield* SqlClient, yield* HistoryStore]
        const phone = yield* VisitSamples.phone
        const { userId } = phone
        const now = yield* Timestamp.now
        yield* sql`INSERT INTO erasures (user_id, from_at, until_at, erased_at)
          SELECT ${userId}::text, ${Rows.at(now)}::timestamptz - 2 * n * interval '1 minute',
            ${Rows.at(now)}::timestamptz - (2 * n - 1) * interval '1 minute', ${Rows.at(now)}
          FROM generate_series(1, ${Erasure.MOST}::int) n`
        const erase = (minutes: number) => {
          const from = Timestamp.plus(now, -minutes * Timestamp.MINUTE)
          return store.erase(userId, { from, until: Timestamp.plus(from, Timestamp.MINUTE) }, now)
        }
        const beyond = 2 * Erasure.MOST + 2
        const fixes = UploadSamples.fixes(1, Timestamp.plus(now, -(beyond - 0.5) * Timestamp.MINUTE))
        yield* UploadSamples.commit(phone, { fixes })
        expect(yield* erase(beyond)).toBe(false)
        expect(yield* (yield* FixStore).latest(userId, 10)).toHaveLength(1)
        expect(yield* erase(3)).toBe(true)
        expect(yield* store.erasures(userId)).toHaveLength(Erasure.MOST - 1)
      })
    ))
})
