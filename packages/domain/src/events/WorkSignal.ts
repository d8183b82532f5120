import { Context, type Duration, type Effect, type Scope } from "effect"

/**
 * Wakes workers, and the servers that send events to listeners, when there is new work. Both also look for work
 * regularly, so a lost signal only delays work.
 */
export class WorkSignal extends Context.Tag("@place-access/domain/events/WorkSignal")<
  WorkSignal,
  {
    /**
     * Signals that there is new work, for example an event in the outbox, a due delivery, an event for a listener, or a
     * lease that was given up. Never fails. Several calls may become one signal.
     */
    readonly raise: Effect.Effect<void>
    /** Waits for the next signal, at most for `atMost`. Returns immediately when a signal came since the last wait. */
    readonly wait: (atMost: Duration.Duration) => Effect.Effect<void>
    /**
     * Returns a `wait` for one waiter. This `wait` misses no signal after the call of `subscribe`, even when other
     * waiters have already seen the signal.
     */
    readonly subscribe: Effect.Effect<(atMost: Duration.Duration) => Effect.Effect<void>, never, Scope.Scope>
  }
>() {}
