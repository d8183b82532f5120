import { Effect } from "effect"
import * as Timestamp from "./Timestamp.js"

/**
 * The shortest pause, in milliseconds. An embedded database answers in the same process without waiting. So without a
 * pause, no other request would run before the end of the work.
 */
const SHORTEST_MS = 1
/**
 * The longest pause, in milliseconds. When somebody sets the clock forward during a piece of work, the work seems to
 * have taken hours, and the pause must not take hours too. The limit is below one second, because a virtual clock
 * treats a sleep of a second or more as the wait of an idle loop, and may make the sleep longer (decision
 * virtual-time-2).
 */
export const LONGEST_MS = 999

const pauseMs = (share: number, tookMs: number): number =>
  share >= 1 ? 0 : Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.round(tookMs * (1 / share - 1))))

/**
 * Returns an effect to run after each piece of work. The effect pauses in proportion to the time that the work took,
 * which is the time since the last pause or, before the first pause, since this call. `share`, above 0, is the share of
 * the time that the work may take; from 1 on the effect never pauses.
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
