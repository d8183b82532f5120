import { SqlClient } from "@effect/sql/SqlClient"
import { SqlAccountStore, SqlAppStore, SqlAuditLog } from "@place-access/adapters-pg"
import { type App, AppStore } from "@place-access/domain/apps"
import { AccountLimits } from "@place-access/domain/quotas"
import { AppId, Entropy } from "@place-access/domain/shared"
import { Fixtures } from "@place-access/domain/testing"
import { Clock, Deferred, Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlAuditLog.layer)

describeServers("creations of apps that overlap, under the real clock", (server) => {
  const run = withStores(migratedOn(server), stores)

  it("at 49 of 50 apps, the second of two creations waits for the first, and finds no room [limits-9]", async () => {
    const outcomes = await run(
      Effect.gen(function* () {
        const [apps, sql] = [yield* AppStore, yield* SqlClient]
        const owner = yield* Fixtures.user
        const first = yield* Fixtures.app(owner.id)
        for (let made = 1; made < AccountLimits.APPS.most - 1; made++) yield* Fixtures.app(owner.id)
        const draft = Effect.map(Entropy.id("app"), (id): App.App => ({ ...first, id: AppId.make(id) }))
        const [one, other] = [yield* draft, yield* draft]
        const isMade = yield* Deferred.make<void>()
        // The first creation is not committed for a while: without a lock the second would not see it.
        const slow = sql.withTransaction(
          apps.create(one).pipe(
            Effect.tap(() => Deferred.succeed(isMade, undefined)),
            Effect.tap(() => Effect.sleep("500 millis"))
          )
        )
        const late = Effect.zipRight(Deferred.await(isMade), apps.create(other))
        return yield* Effect.all([slow, late], { concurrency: "unbounded" })
      }).pipe(Effect.withClock(Clock.make()))
    )
    expect(outcomes).toEqual([true, false])
  })
})
