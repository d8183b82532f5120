// Counts which leases the loops of one worker are using. A worker gives up no lease that is in use (decision leases-2).
import { Effect } from "effect"

/** Counts, for each lease, the pieces of work that have begun and not ended. A key is made by `Lease.keyOf`. */
export interface LeaseUses {
  readonly begin: (key: string) => void
  readonly end: (key: string) => void
  readonly isUsed: (key: string) => boolean
  /** Whether any lease is in use. */
  readonly isAnyUsed: () => boolean
  /** Waits until no lease is in use. */
  readonly untilIdle: Effect.Effect<void>
}

export const make = (): LeaseUses => {
  const counts = new Map<string, number>()
  const untilIdle: Effect.Effect<void> = Effect.suspend(() =>
    counts.size === 0 ? Effect.void : Effect.zipRight(Effect.sleep("50 millis"), untilIdle)
  )
  return {
    begin: (key) => void counts.set(key, (counts.get(key) ?? 0) + 1),
    end: (key) => {
      const count = counts.get(key) ?? 0
      if (count > 1) counts.set(key, count - 1)
      else counts.delete(key)
    },
    isUsed: (key) => counts.has(key),
    isAnyUsed: () => counts.size > 0,
    untilIdle
  }
}
