import { SqlClient } from "@effect/sql/SqlClient"
import { SqlAccountDeletionStore, SqlMailOutbox } from "@place-access/adapters-pg"
import { ConnectionStore } from "@place-access/domain/connection"
import { ConsentStore } from "@place-access/domain/consent"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { ConnectionSamples } from "@place-access/domain/testing"
import { Deferred, Effect, Either, Fiber, Layer, Option, TestServices } from "effect"
import { expect, it } from "vitest"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { describePg, lockWaits, postgres } from "../support/postgres.js"
import { UploadStores } from "../support/uploadStores.js"

/** Waits until `count` connections to this database wait for a row lock. */
const waitsForRow = (count: number): Effect.Effect<void, unknown, SqlClient> =>
  Effect.gen(function* () {
    if ((yield* lockWaits(postgres, yield* SqlClient)) < count) {
      yield* TestServices.provideLive(Effect.sleep("5 millis"))
      yield* waitsForRow(count)
    }
  })

describePg("accountLock", "approving an app and deleting the account", () => {
  const run = withStores(
    migratedPostgres,
    Layer.mergeAll(SqlAccountDeletionStore.layer, SqlMailOutbox.layer, UploadStores)
  )

  it("the deletion waits for the approval and ends the connection that the approval made [deletions-2]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { app, user } = yield* ConnectionSamples.pair
        const request = yield* ConnectionSamples.request(app)
        const connection = yield* ConnectionSamples.connection(user, app)
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        // A third transaction has inserted the row of user and app and not committed. So the approval waits for this
        // row before it makes the connection. The deletion begins while the approval waits.
        const holder = yield* sql`
          INSERT INTO subjects (user_id, app_id, sub) VALUES (${user.id}, ${app.id}, 'sub_other')`.pipe(
          Effect.zipRight(Deferred.succeed(held, undefined)),
          Effect.zipRight(Deferred.await(release)),
          Effect.zipRight(Effect.fail("rolled back")),
          sql.withTransaction,
          Effect.ignore,
          Effect.fork
        )
        yield* Deferred.await(held)
        const approving = yield* ConnectionSamples.approve(request, connection).pipe(Effect.either, Effect.fork)
        yield* waitsForRow(1)
        const deleting = yield* Effect.flatMap(AccountDeletionStore, (store) =>
          store.begin(user.id, AccountDeletion.decide)
        ).pipe(Effect.either, Effect.fork)
        yield* waitsForRow(2)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        expect(Either.isRight(yield* Fiber.join(approving))).toBe(true)
        const deleted = yield* Fiber.join(deleting)
        expect(Either.isRight(deleted) && Option.exists(deleted.right, Either.isRight)).toBe(true)
        expect(yield* (yield* ConnectionStore).findLive(user.id, app.id)).toEqual(Option.none())

        // A consent that is decided after the deletion finds no account.
        const late = yield* ConnectionSamples.request(app)
        const decide = () => ({ outcome: "decided", decided: null, approval: null })
        expect(yield* (yield* ConsentStore).decideRequest(late.id, user.id, decide)).toEqual(Option.none())
      })
    ))
})
