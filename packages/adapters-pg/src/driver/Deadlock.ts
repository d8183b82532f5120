import type { SqlError } from "@effect/sql/SqlError"
import { Cause, Effect, FiberRef, GlobalValue } from "effect"
import { sqlState } from "../Failures.js"

/**
 * When transactions wait for each other in a circle, the server ends one of them, the *victim*, with the state 40P01,
 * and rolls it back completely. The others go on. So the victim can run once more, and its caller notices only a delay.
 *
 * Two programs that lock the same rows should lock them in the same order. A deadlock is a defect in this order, so each
 * repeat is logged. Decision errors-2.
 */

/** How often a victim runs again. The tests of the order of locks set 0, so that a deadlock fails them. */
export const repeats: FiberRef.FiberRef<number> = GlobalValue.globalValue(
  Symbol.for("@place-access/adapters-pg/driver/Deadlock/repeats"),
  () => FiberRef.unsafeMake(1)
)

/** Whether the error, or an error that caused it, ended a victim. */
export const isVictim = (error: unknown): boolean => sqlState(error) === "40P01"

/** Whether the failure or the defect of a transaction ended a victim. A refused COMMIT is a defect. */
export const endedVictim = (cause: Cause.Cause<unknown>): boolean => isVictim(Cause.squash(cause))

/** Runs the victim again if it may run again; otherwise fails with `failed`. */
export const repeated = <A, E, R>(
  failed: Effect.Effect<never, E>,
  victim: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R> =>
  Effect.flatMap(FiberRef.get(repeats), (left) =>
    left === 0
      ? failed
      : Effect.zipRight(
          Effect.logWarning("The database ended a transaction because of a deadlock. It runs once more"),
          Effect.locally(victim, repeats, left - 1)
        )
  )
