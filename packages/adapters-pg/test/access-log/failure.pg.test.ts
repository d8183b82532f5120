import { SqlAccessLogStore } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { AccessLogStore, recordAccess } from "@place-access/domain/access-log"
import { AppId, ConnectionId, StoreError, UserId } from "@place-access/domain/shared"
import { Deferred, Effect, Either, Fiber } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const access = {
  owner: { userId: UserId.make("usr_a"), appId: AppId.make("app_a"), connectionId: ConnectionId.make("con_a") },
  endpoint: "GET /v1/me",
  purpose: null,
  status: 200,
  error: null,
  disclosed: null
}

describeServers("an access log that cannot be written", (server) => {
  const run = withStores(migratedOn(server), SqlAccessLogStore.layer)

  it("fails each of the callers of a batch, for a passing reason, and works again afterwards", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* sql`LOCK TABLE access_log IN EXCLUSIVE MODE`.pipe(
          Effect.zipRight(Deferred.succeed(held, undefined)),
          Effect.zipRight(Deferred.await(release)),
          sql.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(held)
        // The first entry's statement waits for the lock of the table. The other entries share the next statement.
        const answers = yield* Effect.all(
          Array.from({ length: 20 }, () => Effect.either(recordAccess(access))),
          { concurrency: "unbounded" }
        )
        const transient = (answer: (typeof answers)[number]) =>
          Either.isLeft(answer) && answer.left instanceof StoreError && answer.left.transient
        expect(answers.every(transient)).toBe(true)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        yield* recordAccess(access)
        const { items } = yield* (yield* AccessLogStore).list(access.owner.userId, {}, 100, undefined)
        expect(items.length).toBe(1)
      })
    ))
})
