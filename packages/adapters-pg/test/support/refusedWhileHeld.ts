import { SqlClient } from "@effect/sql/SqlClient"
import { Deferred, Effect, type Exit, Fiber } from "effect"

/** Waits in real time, because the session uses real timers. */
export const waited = (millis: number) => Effect.promise(() => new Promise((done) => setTimeout(done, millis)))

/**
 * Runs work on an embedded database while another transaction occupies the database's only session. The database
 * refuses the first request of `work`, because the request waits too long for the session. Then the other transaction
 * ends, so that the session is free. If `work` sends another request after the refusal, the session carries this
 * request out, which a test can notice.
 */
export const refusedWhileHeld = <A, E>(work: Effect.Effect<A, E, SqlClient>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const [begun, refused] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const holder = yield* Effect.fork(
      sql.withTransaction(
        sql`SELECT 1`.pipe(
          Effect.zipRight(Deferred.succeed(begun, undefined)),
          Effect.zipRight(Deferred.await(refused))
        )
      )
    )
    yield* Deferred.await(begun)
    const worker: Fiber.Fiber<Exit.Exit<A, E>> = yield* Effect.fork(Effect.exit(work))
    yield* waited(20)
    yield* Effect.flip(sql`SELECT ${2}::int AS two`)
    yield* Deferred.succeed(refused, undefined)
    yield* Fiber.join(holder)
    return yield* Fiber.join(worker)
  })
