import { Deferred, Effect, Fiber, type Scope } from "effect"

/** A program that runs without an end, and can be stopped and started again. */
export interface Restartable<E> {
  readonly start: Effect.Effect<void>
  /** Interrupts the program, and waits for its finalizers. */
  readonly stop: Effect.Effect<void>
  /** Fails when the program fails by itself; otherwise waits without an end. */
  readonly ended: Effect.Effect<never, E>
}

/** Starts the program in the current scope. */
export const make = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<Restartable<E>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const context = yield* Effect.context<R>()
    const failed = yield* Deferred.make<never, E>()
    let fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined
    let isStopping = false
    const watched = Effect.provide(program, context).pipe(
      Effect.tapErrorCause((cause) => (isStopping ? Effect.void : Deferred.failCause(failed, cause)))
    )
    // The forked fiber must be interruptible. `start` may run in a finalizer, which is uninterruptible, and a fiber
    // inherits this property.
    const start = Effect.map(Effect.forkIn(Effect.interruptible(watched), scope), (forked) => {
      fiber = forked
      isStopping = false
    })
    const stop = Effect.suspend(() => {
      isStopping = true
      return fiber === undefined ? Effect.void : Effect.asVoid(Fiber.interrupt(fiber))
    })
    yield* start
    return { start, stop, ended: Deferred.await(failed) }
  })
