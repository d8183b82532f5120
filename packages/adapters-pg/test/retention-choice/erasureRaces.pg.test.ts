import { SqlClient } from "@effect/sql/SqlClient"
import { SqlImportStore } from "@place-access/adapters-pg"
import { type Fix, ingestFixes } from "@place-access/domain/fixes"
import { ImportStore } from "@place-access/domain/imports"
import { HistoryStore } from "@place-access/domain/retention-choice"
import { Timestamp } from "@place-access/domain/shared"
import { Fixtures, ImportSamples, MemoryWorkSignal, RuleSamples, UploadSamples } from "@place-access/domain/testing"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"
import { UploadStores } from "../support/uploadStores.js"
import { waits } from "../support/waits.js"

const PEOPLE = 20
const { HOUR, MINUTE } = Timestamp

/**
 * One transaction deletes a stretch while other transactions store readings of this stretch. In the test of twenty
 * people, all transactions begin at the same moment, and the server decides which of them commits first.
 */
describeServers("a stretch is deleted while its readings are stored [retention-choice-4]", (server) => {
  const stores = Layer.mergeAll(SqlImportStore.layer, UploadStores, MemoryWorkSignal.layer)
  const run = withStores(migratedOn(server), stores)

  /**
   * A phone, an import of its owner that a worker has claimed, and readings for the phone and the import. 60 of the 120
   * readings are in the stretch from `from` to `until`.
   */
  const begin = Effect.gen(function* () {
    const { id: userId } = yield* Fixtures.user
    const phone = yield* RuleSamples.device(userId)
    const now = yield* Timestamp.now
    const from = Timestamp.plus(now, -2 * HOUR)
    const until = Timestamp.plus(now, -HOUR)
    const begun = yield* ImportSamples.waiting(userId)
    yield* ImportSamples.claim(begun, "lease", now)
    const readings = Array.from({ length: 120 }, (_, index) =>
      UploadSamples.fixes(1, Timestamp.plus(from, (index - 30) * MINUTE))
    ).flat()
    return { userId, phone, now, from, until, begun, readings }
  })

  const left = (userId: string, { from, until }: { readonly from: number; readonly until: number }) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const rows = yield* sql<{ readonly within: boolean }>`
        SELECT captured_at >= to_timestamp(${from}::float8 / 1000)
           AND captured_at < to_timestamp(${until}::float8 / 1000) AS within
        FROM fixes WHERE user_id = ${userId}`
      return {
        within: rows.filter(({ within }) => within).length,
        outside: rows.filter(({ within }) => !within).length
      }
    })

  it("a step of an import that waited for the deletion stores nothing of the stretch", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { begun, from, now, readings, until, userId } = yield* begin
        const history = yield* HistoryStore
        const imports = yield* ImportStore
        const isErased = yield* Effect.makeLatch()
        const erase = sql.withTransaction(
          Effect.gen(function* () {
            yield* history.erase(userId, { from, until }, now)
            yield* isErased.open
            // The deletion commits only when the step of the import waits for the deletion's lock. Otherwise the two
            // transactions might not overlap.
            yield* Effect.repeat(waits(sql), { until: (waiting) => waiting })
          })
        )
        const advance = Effect.zipRight(
          isErased.await,
          imports.advance(ImportSamples.step(begun, "lease", now, { fixes: readings }))
        )
        yield* Effect.all([erase, advance], { concurrency: "unbounded" })
        expect(yield* left(userId, { from, until })).toEqual({ within: 0, outside: 60 })
      })
    ))

  it("imports, uploads and deletions of twenty people at once: nothing of a deleted stretch is left", () =>
    run(
      Effect.gen(function* () {
        const history = yield* HistoryStore
        const imports = yield* ImportStore
        const people = yield* Effect.forEach(Array.from({ length: PEOPLE }), () => begin)
        yield* Effect.forEach(
          people.flatMap(({ begun, from, now, phone, readings, until, userId }) => [
            Effect.asVoid(imports.advance(ImportSamples.step(begun, "lease", now, { fixes: readings }))),
            Effect.asVoid(history.erase(userId, { from, until }, now)),
            Effect.asVoid(ingestFixes(phone, readings satisfies ReadonlyArray<Fix.Reading>, []))
          ]),
          (one) => one,
          { concurrency: "unbounded", discard: true }
        )
        for (const { from, until, userId } of people) {
          expect((yield* left(userId, { from, until })).within).toBe(0)
        }
      })
    ))
})
