import { Context, type Duration, type Effect, type Scope } from "effect"

/** Wakes workers early; polling alone would do, later. A lost signal loses nothing. */
export class WorkSignal extends Context.Tag("@place-access/domain/deliveries/WorkSignal")<
  WorkSignal,
  {
    /** There is work: an event in the outbox or a delivery that is due. Never fails; many calls may become one signal. */
    readonly raise: Effect.Effect<void>
    /** Returns at the next signal (or one that came since the last wait), or after `atMost`. */
    readonly wait: (atMost: Duration.Duration) => Effect.Effect<void>
    /** A `wait` of one's own: hears every signal from now on, whoever else waits. */
    readonly subscribe: Effect.Effect<(atMost: Duration.Duration) => Effect.Effect<void>, never, Scope.Scope>
  }
>() {}
