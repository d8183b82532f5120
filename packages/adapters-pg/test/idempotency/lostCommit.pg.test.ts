import { layerPostgres, SqlAccountStore, SqlIdempotencyStore, SqlPlaceStore } from "@place-access/adapters-pg"
import { NodeEntropy } from "@place-access/adapters-pg"
import { Effect, Layer, Redacted } from "effect"
import { expect, it } from "vitest"
import { startLossyProxy } from "../support/lossyProxy.js"
import { someone } from "../support/oneTransactionContract.js"
import { describeServers } from "../support/postgres.js"

describeServers("a commit whose answer is lost", ({ migratedDatabase }) => {
  it("made the place, as the first request is not told; the second one gets the kept answer and makes no other [idempotency-4]", async () => {
    const database = await migratedDatabase()
    const proxy = await startLossyProxy(database.url)
    const pool = layerPostgres({ url: Redacted.make(proxy.url), poolSize: 4, applicationName: "test" })
    const stores = Layer.mergeAll(SqlIdempotencyStore.layer, SqlPlaceStore.layer, SqlAccountStore.layer).pipe(
      Layer.provideMerge(Layer.merge(pool, NodeEntropy.layer))
    )
    try {
      await Effect.gen(function* () {
        const { count, once } = yield* someone
        proxy.loseNextCommit()
        const error = yield* Effect.flip(once)
        expect([error, proxy.lost()]).toMatchObject([{ _tag: "StoreError", transient: true }, 1])
        expect(yield* count).toBe(1)
        expect((yield* once)._tag).toBe("Replay")
        expect(yield* count).toBe(1)
      }).pipe(Effect.provide(stores), Effect.runPromise)
    } finally {
      proxy.close()
      await database.drop()
    }
  })
})
