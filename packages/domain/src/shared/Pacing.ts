import { Effect } from "effect"
import * as Timestamp from "./Timestamp.js"

/**
 * Milliseconds. An embedded database answers in the same process without waiting, so other requests would never run
 * without a pause.
 */
const SHORTEST_MS = 1
/**
 * Milliseconds. When somebody sets the clock forward, a piece of work seems to have taken hours, and the pause must not
 * take hours too.
 */
const LONGEST_MS = 1_000

const pauseMs = (share: number, tookMs: number): number =>
  share >= 1 ? 0 : Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.round(tookMs * (1 / share - 1))))

/**
 * Returns an effect to run after each piece of work. The effect pauses in proportion to the time since its last pause,
 * or at first since this call. `share`, above 0, is the share of the time that the work may take; from 1 on the effect
 * never pauses.
 */
export const pausing = ({ share }: { readonly share: number }): Effect.Effect<Effect.Effect<void>> =>
  Effect.map(Timestamp.now, (now) => {
    let begunAt = now
    return Effect.gen(function* () {
      const millis = pauseMs(share, (yield* Timestamp.now) - begunAt)
      if (millis === 0) return
      yield* Effect.sleep(millis)
      begunAt = yield* Timestamp.now
    })
  })
