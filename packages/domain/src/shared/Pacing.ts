import { Effect } from "effect"
import * as Timestamp from "./Timestamp.js"

/** At least this much: an embedded database answers at once, and without a pause other requests would never run. */
const SHORTEST_MS = 1

/**
 * The pause after work that took this long, in milliseconds; 0: none. `share`: the share of the time that the work may
 * take, above 0; from 1 on it never pauses.
 */
const pauseMs = ({ share }: { readonly share: number }, tookMs: number): number =>
  share >= 1 ? 0 : Math.max(SHORTEST_MS, Math.round(tookMs * (1 / share - 1)))

/** Pauses after a piece of work, in proportion to the time since the last pause. The first piece begins now. */
export const pausing = (pace: { readonly share: number }): Effect.Effect<Effect.Effect<void>> =>
  Effect.map(Timestamp.now, (now) => {
    let begunAt = now
    return Effect.gen(function* () {
      const millis = pauseMs(pace, (yield* Timestamp.now) - begunAt)
      if (millis === 0) return
      yield* Effect.sleep(millis)
      begunAt = yield* Timestamp.now
    })
  })
