import { HttpLive } from "@place-access/adapters-http"
import { layerPostgres, NodeVault } from "@place-access/adapters-pg"
import { Imports, Stores, Webhooks } from "@place-access/worker"
import { SqlClient } from "@effect/sql/SqlClient"
import { Context, Effect, Either, Layer, Redacted } from "effect"
import { it } from "vitest"
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

const freshAddress = Effect.map(
  Effect.acquireRelease(Effect.promise(postgres.migratedDatabase), ({ drop }) => Effect.promise(drop)),
  ({ url }) => url
)

const serving = (context: Context.Context<Layer.Layer.Success<ReturnType<typeof portsOn>>>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() =>
        serve((url) =>
          HttpLive.layer(optionsAt(url)).pipe(
            Layer.provide(Health.layer(() => false, url)),
            Layer.provide(Layer.succeedContext(context))
          )
        )
      ),
      ({ close }) => Effect.promise(close)
    ),
    ({ url }) => Effect.promise(() => fetch(`${url}/readyz`))
  )

/**
 * Asks until `/readyz` answers with the status and with the text as its `status` or `message`. On an overloaded machine
 * an answer of the database may take longer than `/readyz` waits.
 */
const says = (ready: Effect.Effect<Response>, status: number, text: string) =>
  ready.pipe(
    Effect.flatMap((answer) =>
      Effect.promise(async () => {
        const body = (await answer.json()) as { readonly status?: string; readonly message?: string }
        return answer.status === status && (body.message ?? body.status) === text
      })
    ),
    Effect.repeat({ until: (isSaid) => isSaid })
  )

describePg("driver", "a server whose database accepts no writes", () => {
  it("says so at /readyz, and is ready again when the database accepts writes", () =>
    Effect.gen(function* () {
      const address = yield* freshAddress
      yield* Effect.promise(() => acceptWrites(address, false))
      const ready = yield* serving(yield* Layer.build(portsOn(address)))
      yield* says(ready, 503, "The database accepts no writes")
      yield* Effect.promise(() => acceptWrites(address, true))
      yield* says(ready, 200, "ready")
    }).pipe(Effect.scoped, Effect.runPromise))
})

describePg("driver", "a server all of whose database connections are in use", () => {
  it("stays ready while the database answers and accepts writes; otherwise /readyz says what is missing [errors-4]", () =>
    Effect.gen(function* () {
      const address = yield* freshAddress
      const context = yield* Layer.build(portsOn(address))
      const ready = yield* serving(context)
      const sql = Context.get(context, SqlClient)
      for (let taken = 0; taken < 4; taken++) yield* sql.reserve
      yield* says(ready, 200, "busy")
      yield* Effect.promise(() => acceptWrites(address, false))
      yield* says(ready, 503, "The database accepts no writes")
      yield* Effect.promise(() => acceptWrites(address, true))
    }).pipe(Effect.scoped, Effect.runPromise))
})
