import { Effect } from "effect"
import * as Timestamp from "../shared/Timestamp.js"
import { closeListener } from "./closeListener.js"
import { ListenerStore } from "./ListenerStore.js"

/** Looked at in one go. */
const BATCH = 100

/** Takes away the listeners whose server died, with what waited for them. Answers how many. */
export const sweepListeners = Effect.fn("sweepListeners")(function* () {
  const store = yield* ListenerStore
  let swept = 0
  for (let last = BATCH; last === BATCH;) {
    const expired = yield* store.expired(yield* Timestamp.now, BATCH)
    yield* Effect.forEach(expired, closeListener, { discard: true })
    last = expired.length
    swept += last
  }
  return swept
})
