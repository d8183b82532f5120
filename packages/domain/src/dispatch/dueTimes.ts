import { Effect, Option } from "effect"
import type { DeliveryStore } from "../deliveries/DeliveryStore.js"
import type { StoreError } from "../shared/Errors.js"
import type * as Timestamp from "../shared/Timestamp.js"

/**
 * A cache of the earliest due time of all deliveries. Without the cache, a busy worker would read the same time after
 * nearly every claim.
 */
export interface DueTimes {
  /** Callers call this when there is a new retry or a new row: it may be due earlier than the cached time. */
  readonly forget: () => void
  /**
   * The earliest due time after `now`; none when no delivery is due later. Reads the store after `forget`, when the
   * cached time has come, and when the last read was `everyMillis` ago or more (`make`).
   */
  readonly next: (now: Timestamp.Timestamp) => Effect.Effect<Option.Option<Timestamp.Timestamp>, StoreError>
}

/** `everyMillis`: how long a time stays in the cache at most. */
export const make = (store: typeof DeliveryStore.Service, everyMillis: number): DueTimes => {
  let known: { readonly next: Option.Option<Timestamp.Timestamp>; readonly until: number } | undefined
  return {
    forget: () => {
      known = undefined
    },
    next: (now) =>
      Effect.suspend(() => {
        if (known !== undefined && now < known.until) return Effect.succeed(known.next)
        // When `forget` is called during the read, `known` is no longer `reading`, and the result of this read does not
        // go into the cache.
        const reading = (known = { next: Option.none(), until: now })
        return Effect.tap(store.nextDueAt(now), (next) =>
          Effect.sync(() => {
            if (known !== reading) return
            known = {
              next,
              until: Math.min(
                now + everyMillis,
                Option.getOrElse(next, () => Infinity)
              )
            }
          })
        )
      })
  }
}
