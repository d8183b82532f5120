import { Effect } from "effect"
import * as Timestamp from "./Timestamp.js"

/** The shortest pause. An embedded database answers at once: without a pause other requests would never run. */
const SHORTEST_MS = 1
/** The longest pause. When the clock is set forward, the work seems to have taken hours. */
const LONGEST_MS = 1_000

const pauseMs = (share: number, tookMs: number): number =>
  share >= 1 ? 0 : Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.round(tookMs * (1 / share - 1))))

/**
 * Pauses after a piece of work, in proportion to the time since the last pause. The first piece begins now. `share`:
 * the share of the time that the work may take, above 0; from 1 on it never pauses.
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
