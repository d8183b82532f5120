import { HttpLive } from "@place-access/adapters-http"
import { layerPostgres, NodeVault } from "@place-access/adapters-pg"
import { ConsentFlow, Fixtures } from "@place-access/domain/testing"
import { Imports, Stores, Webhooks } from "@place-access/worker"
import { Effect, Either, Layer, Redacted } from "effect"
import { expect, it } from "vitest"
import { settableClock } from "../../../packages/adapters-http/test/support/clock.js"
import { optionsAt } from "../../../packages/adapters-http/test/support/options.js"
import { serve } from "../../../packages/adapters-http/test/support/serve.js"
import { describeServers } from "../../../packages/adapters-pg/test/support/postgres.js"

const RATE = 50
const keys = Either.getOrThrow(NodeVault.parseKeys(Redacted.value(NodeVault.generateKey("test"))))

describeServers("two servers on one database", ({ migratedDatabase }) => {
  it("answer as many calls of a connection together as one alone would [limits-1]", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.acquireRelease(Effect.promise(migratedDatabase), ({ drop }) => Effect.promise(drop))
      const database = layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "test" })
      // The clock stands still, so that the minute of the rate limit does not end while the test runs.
      const clock = settableClock(Date.UTC(2026, 0, 15, 12))
      /** The ports of one server, with a separate pool and separate batches. */
      const ports = Layer.fresh(
        Layer.mergeAll(Stores.layer, Imports.layer, Webhooks.layer({ allowInsecure: true })).pipe(
          Layer.provideMerge(database),
          Layer.provideMerge(NodeVault.layer(keys)),
          Layer.provide(clock.layer)
        )
      )
      const start = Effect.gen(function* () {
        const context = yield* Layer.build(ports)
        const { url } = yield* Effect.acquireRelease(
          Effect.promise(() =>
            serve((url) =>
              HttpLive.layer(optionsAt(url, { rateLimitPerMinute: RATE })).pipe(
                Layer.provide(Layer.succeedContext(context)),
                Layer.provide(clock.layer)
              )
            )
          ),
          ({ close }) => Effect.promise(close)
        )
        return { context, url }
      })
      const servers = yield* Effect.all([start, start])
      const { tokens } = yield* Effect.gen(function* () {
        const user = yield* Fixtures.user
        const app = yield* Fixtures.app(user.id)
        return yield* ConsentFlow.connect(app, user, ["location.place.current"])
      }).pipe(Effect.provide(servers[0].context), Effect.provide(clock.layer))

      const statuses = yield* Effect.forEach(
        Array.from({ length: 3 * RATE }, (_, index) => `${servers[index % 2]?.url}/v1/me`),
        (address) =>
          Effect.promise(async () => {
            const answer = await fetch(address, { headers: { authorization: `Bearer ${tokens.accessToken}` } })
            await answer.arrayBuffer()
            return answer.status
          }),
        { concurrency: 20 }
      )
      expect(statuses.filter((status) => status === 200).length).toBe(RATE)
      expect(statuses.filter((status) => status === 429).length).toBe(2 * RATE)
    }).pipe(Effect.scoped, Effect.runPromise))
})
