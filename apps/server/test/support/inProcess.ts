import { HttpLive } from "@place-access/adapters-http"
import { type Database, NodeVault } from "@place-access/adapters-pg"
import { fanOutAll, deliverDue } from "@place-access/domain/testing"
import { Imports, Stores, Webhooks } from "@place-access/worker"
import { Effect, Either, Exit, Layer, Redacted, Scope } from "effect"
import { settableClock, type SettableClock } from "../../../../packages/adapters-http/test/support/clock.js"
import { optionsAt } from "../../../../packages/adapters-http/test/support/options.js"
import { serve } from "../../../../packages/adapters-http/test/support/serve.js"
import { migratedPostgres } from "../../../../packages/adapters-pg/test/support/contracts.js"
import { postgres } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { migratedEmbedded } from "../../../../packages/adapters-pg/test/support/embedded.js"

/**
 * The whole service in this process, on a separate database, with a clock that the test sets. The database is
 * PostgreSQL if the tests have one, because PostgreSQL takes a fraction of the embedded database's processor time.
 */
export interface InProcess {
  readonly url: string
  readonly clock: SettableClock
  /** Does the work of a worker until no more work is due at the present time. */
  readonly work: () => Promise<void>
  /** The server's log. Each entry is a line. */
  readonly log: ReadonlyArray<string>
  readonly run: <A, E>(program: Effect.Effect<A, E, Database>) => Promise<A>
  readonly close: () => Promise<void>
}

const keys = Either.getOrThrow(NodeVault.parseKeys(Redacted.value(NodeVault.generateKey("test"))))

export const startInProcess = async (startsAt: number): Promise<InProcess> => {
  const clock = settableClock(startsAt)
  const scope = Effect.runSync(Scope.make())
  const ports = Layer.mergeAll(Stores.layer, Imports.layer, Webhooks.layer({ allowInsecure: true })).pipe(
    Layer.provideMerge(postgres.isThere ? migratedPostgres : migratedEmbedded),
    Layer.provideMerge(NodeVault.layer(keys)),
    Layer.provide(clock.layer)
  )
  const context = await Effect.runPromise(Layer.buildWithScope(ports, scope))
  const served = await serve((url) =>
    HttpLive.layer(optionsAt(url, { rateLimitPerMinute: 1_000_000 })).pipe(
      Layer.provide(Layer.succeedContext(context)),
      Layer.provide(clock.layer)
    )
  )
  const run = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof ports>>): Promise<A> =>
    Effect.runPromise(program.pipe(Effect.provide(context), Effect.provide(clock.layer)))
  const round = Effect.gen(function* () {
    const { taken } = yield* fanOutAll(100)
    // Receivers of these tests accept every delivery, so no delivery of an earlier round waits for a retry. If this
    // round has no events, no delivery is due.
    return taken === 0 ? 0 : taken + (yield* deliverDue({ limit: 100, perEndpoint: 100 }))
  })
  return {
    url: served.url,
    clock,
    work: () => run(Effect.asVoid(Effect.repeat(round, { while: (done) => done > 0 }))),
    log: served.log,
    run,
    close: async () => {
      await served.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
