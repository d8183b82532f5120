import { SqlClient } from "@effect/sql/SqlClient"
import { Deferred, Effect, Fiber, Option, TestServices } from "effect"
import { lockWaits, type Server } from "./postgres.js"

/** Waits until `waits` statements wait for locks, or until `other` has ended without waiting. */
export const waitsOrEnds = <A, E>(server: Server, other: Fiber.Fiber<A, E>, waits = 1) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    while ((yield* lockWaits(server, sql)) < waits && Option.isNone(yield* Fiber.poll(other))) {
      yield* TestServices.provideLive(Effect.sleep("5 millis"))
    }
  })

/**
 * Starts `second` when `first` has written and its transaction is still open. This transaction commits when `second`
 * waits for its locks, or has ended.
 */
export const overlapping = <A, E, R, B, E2, R2>(
  server: Server,
  first: Effect.Effect<A, E, R>,
  second: Effect.Effect<B, E2, R2>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const [begun, isSeen] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const holder = yield* first.pipe(
      Effect.zipLeft(Deferred.succeed(begun, undefined)),
      Effect.zipLeft(Deferred.await(isSeen)),
      sql.withTransaction,
      Effect.fork
    )
    yield* Deferred.await(begun)
    const other = yield* Effect.fork(second)
    yield* waitsOrEnds(server, other)
    yield* Deferred.succeed(isSeen, undefined)
    return [yield* Fiber.join(holder), yield* Fiber.join(other)] as const
  })
