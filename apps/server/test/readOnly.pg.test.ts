import { HttpLive } from "@place-access/adapters-http"
import { layerPostgres, NodeVault } from "@place-access/adapters-pg"
import { Imports, Stores, Webhooks } from "@place-access/worker"
import { Effect, Either, Layer, Redacted } from "effect"
import { expect, it } from "vitest"
import { optionsAt } from "../../../packages/adapters-http/test/support/options.js"
import { serve } from "../../../packages/adapters-http/test/support/serve.js"
import { acceptWrites } from "../../../packages/adapters-pg/test/support/acceptWrites.js"
import { describePg, postgres } from "../../../packages/adapters-pg/test/support/postgres.js"
import * as Health from "../src/http/Health.js"

const keys = Either.getOrThrow(NodeVault.parseKeys(Redacted.value(NodeVault.generateKey("test"))))

const portsOn = (url: string) =>
  Layer.mergeAll(Stores.layer, Imports.layer, Webhooks.layer({ allowInsecure: true })).pipe(
    Layer.provideMerge(layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "test" })),
    Layer.provideMerge(NodeVault.layer(keys))
  )

describePg("driver", "a server whose database accepts no writes", () => {
  it("says so at /readyz, and is ready again when the database accepts writes", () =>
    Effect.gen(function* () {
      const { url: address } = yield* Effect.acquireRelease(Effect.promise(postgres.migratedDatabase), ({ drop }) =>
        Effect.promise(drop)
      )
      yield* Effect.promise(() => acceptWrites(address, false))
      const context = yield* Layer.build(portsOn(address))
      const { url } = yield* Effect.acquireRelease(
        Effect.promise(() =>
          serve((url) =>
            HttpLive.layer(optionsAt(url)).pipe(
              Layer.provide(Health.layer(() => false, url)),
              Layer.provide(Layer.succeedContext(context))
            )
          )
        ),
        ({ close }) => Effect.promise(close)
      )
      const ready = Effect.promise(() => fetch(`${url}/readyz`))
      const refused = yield* ready
      expect(refused.status).toBe(503)
      expect(yield* Effect.promise(() => refused.json())).toMatchObject({ message: "The database accepts no writes" })
      yield* Effect.promise(() => acceptWrites(address, true))
      expect((yield* ready).status).toBe(200)
    }).pipe(Effect.scoped, Effect.runPromise))
})
