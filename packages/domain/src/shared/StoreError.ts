import { Effect, Schema } from "effect"

/**
 * The store could not do its work. `transient`: trying again later may help (lost connection, lock or statement
 * time-out, serialization failure, full pool) and callers over HTTP answer 503; otherwise it is a bug and they answer 500.
 */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  transient: Schema.Boolean,
  cause: Schema.Defect
}) {
  /** Trying again later may help. */
  static readonly unavailable = (cause: unknown): StoreError => new StoreError({ transient: true, cause })
  /** Trying again does not help: a bug. */
  static readonly broken = (cause: unknown): StoreError => new StoreError({ transient: false, cause })
}

/** Repeats what failed for a passing reason at once, at most `times` times: for optimistic writes that lost a race. */
export const retryTransient =
  (times: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchAll(effect, (error) =>
      times > 0 && error instanceof StoreError && error.transient
        ? retryTransient(times - 1)(effect)
        : Effect.fail(error)
    )
