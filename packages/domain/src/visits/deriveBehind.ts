import { Effect } from "effect"
import * as Timestamp from "../shared/Timestamp.js"
import { type Bounds, deriveStays } from "./deriveStays.js"
import { StayStore } from "./StayStore.js"

/** So many devices are looked up at a time. */
const BATCH = 100

/** Of one device in one go; the rest in the next. */
const IN_ONE_GO: Bounds = { stepsMax: 500, fixesAStep: 5_000 }

/** What is younger waits for somebody to ask: a phone that uploads all day would keep us busy all day. */
const MAY_WAIT = Timestamp.DAY

/**
 * Derives stays that nobody asked for: of devices that are more than a day behind, and of new places. So that a question need not
 * wait, and history that is about to be deleted has left its visits. Answers how many steps it took. Can be interrupted and
 * repeated at any point, by any number of workers; a device whose stays cannot be derived now is logged and left to the next run.
 */
export const deriveBehind = Effect.fn("deriveBehind")(function* (now: Timestamp.Timestamp) {
  const store = yield* StayStore
  const until = Timestamp.plus(now, -MAY_WAIT)
  let steps = 0
  let batch = yield* store.behind({ until, limit: BATCH, after: undefined })
  while (batch.length > 0) {
    for (const { deviceId, userId } of batch) {
      steps += yield* deriveStays(userId, deviceId, IN_ONE_GO).pipe(
        Effect.catchAll((error) =>
          Effect.as(Effect.logWarning("The stays of a phone could not be derived, later again", deviceId, error), 0)
        )
      )
    }
    batch = yield* store.behind({ until, limit: BATCH, after: batch.at(-1) })
  }
  return steps
})
