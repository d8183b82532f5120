import { Effect } from "effect"
import * as Timestamp from "../shared/Timestamp.js"
import { closeListener } from "./closeListener.js"
import type { Listener } from "./Listener.js"
import { ListenerStore } from "./ListenerStore.js"

/** Looked at in one go. */
const BATCH = 100

/**
 * Takes away the listeners whose server died, with what waited for them. Answers how many. One that cannot be closed is logged and
 * left to the next run.
 */
export const sweepListeners = Effect.fn("sweepListeners")(function* () {
  const store = yield* ListenerStore
  let swept = 0
  for (let last = BATCH; last === BATCH;) {
    const expired = yield* store.expired(yield* Timestamp.now, BATCH)
    const closed = yield* Effect.forEach(expired, sweep)
    // Those that were left would be found once more.
    last = closed.filter(Boolean).length
    swept += last
  }
  return swept
})

const sweep = (listener: Pick<Listener, "appId" | "id">) =>
  closeListener(listener).pipe(
    Effect.as(true),
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning("A listener that is gone is not closed yet", listener.id, error), false)
    )
  )
