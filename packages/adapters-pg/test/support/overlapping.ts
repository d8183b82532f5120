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

/** Runs `first` in a transaction, which commits after `release`. Returns when `first` has written. */
export const held = <A, E, R>(first: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const [begun, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const holder = yield* first.pipe(
      Effect.zipLeft(Deferred.succeed(begun, undefined)),
      Effect.zipLeft(Deferred.await(released)),
      sql.withTransaction,
      Effect.fork
    )
    yield* Deferred.await(begun)
    return { holder, release: Deferred.succeed(released, undefined) }
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
    const { holder, release } = yield* held(first)
    const other = yield* Effect.fork(second)
    yield* waitsOrEnds(server, other)
    yield* release
    return [yield* Fiber.join(holder), yield* Fiber.join(other)] as const
  })
