import { SqlClient } from "@effect/sql/SqlClient"
import { SqlAccountDeletionStore, SqlMailOutbox } from "@place-access/adapters-pg"
import { ConnectionStore } from "@place-access/domain/connection"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { Timestamp } from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import { Deferred, Effect, Either, Fiber, Layer, Option, TestServices } from "effect"
import { expect, it } from "vitest"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { describePg } from "../support/postgres.js"
import { UploadStores } from "../support/uploadStores.js"

/** Returns when `count` connections to this database wait for a row lock. */
const waitsForRow = (count: number): Effect.Effect<void, unknown, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const [row] = yield* sql`SELECT count(*)::int AS n FROM pg_stat_activity
                             WHERE datname = current_database() AND wait_event_type = 'Lock'`
    if (Number(row?.["n"]) < count) {
      yield* TestServices.provideLive(Effect.sleep("5 millis"))
      yield* waitsForRow(count)
    }
  })

/** On one node only: on Citus the nodes' own lists of activity show who waits, and this test does not read those. */
describePg("archiving a place and deleting its owner's account", () => {
  const run = withStores(
    migratedPostgres,
    Layer.mergeAll(SqlAccountDeletionStore.layer, SqlMailOutbox.layer, UploadStores)
  )

  it("wait for each other in one order: both end, none as a deadlock [places-3]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { place, user } = yield* RuleSamples.sharing()
        yield* RuleSamples.device(user.id)
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        // Stops the archiving after its first lock, so that the deletion runs in between.
        const holder =
          yield* sql`SELECT 1 FROM places WHERE user_id = ${user.id} AND place_id = ${place.id} FOR UPDATE`.pipe(
            Effect.zipRight(Deferred.succeed(held, undefined)),
            Effect.zipRight(Deferred.await(release)),
            sql.withTransaction,
            Effect.fork
          )
        yield* Deferred.await(held)
        const archivedAt = yield* Timestamp.now
        const archiving = yield* Effect.flatMap(ConnectionStore, (store) =>
          store.archivePlace(user.id, place.id, () => ({ outcome: "archived", archivedAt, writes: [] }))
        ).pipe(Effect.either, Effect.fork)
        yield* waitsForRow(1)
        const deleting = yield* Effect.flatMap(AccountDeletionStore, (store) =>
          store.begin(user.id, AccountDeletion.decide)
        ).pipe(Effect.either, Effect.fork)
        yield* waitsForRow(2)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        expect(yield* Fiber.join(archiving)).toEqual(Either.right(Option.some("archived")))
        const deleted = yield* Fiber.join(deleting)
        expect(Either.isRight(deleted) && Option.exists(deleted.right, Either.isRight)).toBe(true)
      })
    ))
})
