import { Pacing, program, type Timestamp } from "../shared/index.js"
import { ImportStore, type Leased } from "./ImportStore.js"
import type * as Pace from "./Pace.js"

/**
 * Deletes what an import added to the history, step by step, and then the import itself. After a crash another worker
 * begins again and finds only the entries that are not yet deleted. Apps keep the answers that they got.
 */
export const undoNow = program("undoNow", function* (leased: Leased, pace: Pace.Pace) {
  const store = yield* ImportStore
  let after: Timestamp.Timestamp | null = null
  const pause = yield* Pacing.pausing(pace)
  for (;;) {
    const next: Timestamp.Timestamp | "gone" | "lost" = yield* store.undo(leased, after)
    if (next === "gone" || next === "lost") return
    after = next
    yield* pause
  }
})
