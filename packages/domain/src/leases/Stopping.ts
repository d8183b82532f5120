// How a piece of work ends when its worker stops. Decision leases-2.
import { Effect, Fiber } from "effect"

/**
 * How long a stopping worker waits for its work and for the store. By default, `runWorker` waits equally long for
 * delivery attempts.
 */
export const LEAVE_DEADLINE = "8 seconds"

/** How long a stopping worker waits while the store makes a piece of work due again (`orHandBack`). */
const HAND_BACK_DEADLINE = "2 seconds"

/**
 * Runs work that should not be done twice, such as sending a message. A worker that is stopped during the work waits
 * until the work has ended, but at most for `LEAVE_DEADLINE`. Time limits inside the work still apply.
 */
export const toItsEnd = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDaemon(Effect.interruptible(work)), (fiber) =>
      Effect.onInterrupt(restore(Fiber.join(fiber)), () =>
        Effect.zipRight(
          Effect.timeoutOption(Effect.interruptible(Fiber.await(fiber)), LEAVE_DEADLINE),
          Fiber.interrupt(fiber)
        )
      )
    )
  )

/**
 * Interrupts the work when the worker stops, and then runs `handBack`, which makes the work due again. So another
 * worker, or this worker after its restart, begins the work immediately. `handBack` gets at most `HAND_BACK_DEADLINE`,
 * because a database that does not answer must not keep the worker from stopping.
 */
export const orHandBack =
  <E2, R2>(handBack: Effect.Effect<void, E2, R2>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | R2> =>
    Effect.onInterrupt(work, () =>
      Effect.ignore(Effect.timeoutOption(Effect.interruptible(Effect.disconnect(handBack)), HAND_BACK_DEADLINE))
    )
