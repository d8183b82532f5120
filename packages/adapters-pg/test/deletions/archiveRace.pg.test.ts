import { SqlClient } from "@effect/sql/SqlClient"
import { SqlAccountDeletionStore, SqlMailOutbox } from "@place-access/adapters-pg"
import { ConnectionStore } from "@place-access/domain/connection"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { Timestamp } from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import { Deferred, Effect, Either, Fiber, Layer, Option, TestServices } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers, lockWaits, type Server } from "../support/postgres.js"
import { UploadStores } from "../support/uploadStores.js"

/** Returns when `count` connections to this database wait for a row lock. */
const waitsForRow = (server: Server, count: number): Effect.Effect<void, unknown, SqlClient> =>
  Effect.gen(function* () {
    if ((yield* lockWaits(server, yield* SqlClient)) < count) {
      yield* TestServices.provideLive(Effect.sleep("5 millis"))
      yield* waitsForRow(server, count)
    }
  })

describeServers("archiving a place and deleting its owner's account", (server) => {
  const run = withStores(
    migratedOn(server),
    Layer.mergeAll(SqlAccountDeletionStore.layer, SqlMailOutbox.layer, UploadStores)
  )

  it("wait for each other in one order: both end, none as a deadlock [places-3]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { place, user } = yield* RuleSamples.sharing()
        yield* RuleSamples.device(user.id)
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        // Another transaction holds the place's row, so that the archiving stops after its first lock and the deletion
        // runs in between.
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
        yield* waitsForRow(server, 1)
        const deleting = yield* Effect.flatMap(AccountDeletionStore, (store) =>
          store.begin(user.id, AccountDeletion.decide)
        ).pipe(Effect.either, Effect.fork)
        yield* waitsForRow(server, 2)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        expect(yield* Fiber.join(archiving)).toEqual(Either.right(Option.some("archived")))
        const deleted = yield* Fiber.join(deleting)
        expect(Either.isRight(deleted) && Option.exists(deleted.right, Either.isRight)).toBe(true)
      })
    ))
})
