import { type Duration, Effect, Option, Queue } from "effect"

/** A wake-up flag of a loop: setting it twice has the effect of setting it once. */
export interface Alarm {
  readonly ring: Effect.Effect<void>
  readonly unsafeRing: () => void
  /** Waits until the flag is set, but no longer than `atMost`, and clears the flag. */
  readonly wait: (atMost: Option.Option<Duration.Duration>) => Effect.Effect<void>
}

export const make: Effect.Effect<Alarm> = Effect.map(Queue.sliding<void>(1), (queue) => ({
  ring: Effect.asVoid(Queue.offer(queue, undefined)),
  unsafeRing: () => void queue.unsafeOffer(undefined),
  wait: (atMost) =>
    Option.match(atMost, {
      onNone: () => Queue.take(queue),
      onSome: (duration) => Effect.asVoid(Effect.timeoutOption(Queue.take(queue), duration))
    })
}))
