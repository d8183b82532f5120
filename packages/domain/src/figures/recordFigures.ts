import { Effect } from "effect"
import { program } from "../shared/Program.js"
import * as FiguresRecorder from "./FiguresRecorder.js"
import { FiguresStore } from "./FiguresStore.js"
import * as Tally from "./Tally.js"

/**
 * Counts the reports of programs until the caller's `Scope` closes, and stores the counts every second and at the end.
 * No program waits for the storing. Counts that cannot be stored are dropped, with a line in the log. So a failing
 * database gets no extra work. A crash loses the counts since the last time of storing (decision figures-1).
 *
 * Returns an effect that stores the present counts immediately. A process needs one recorder for all its programs.
 */
export const recordFigures = program("recordFigures", function* () {
  const store = yield* FiguresStore
  const tally = Tally.make()
  const write = Effect.suspend(() => {
    const batch = tally.take()
    return batch === undefined ? Effect.void : store.add(batch)
  }).pipe(Effect.catchAllCause((cause) => Effect.logWarning("Numbers for developers were dropped", cause)))
  yield* Effect.locallyScoped(FiguresRecorder.recorder, tally)
  yield* Effect.addFinalizer(() => write)
  yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(Tally.WRITTEN_EVERY), write)))
  return write
})
