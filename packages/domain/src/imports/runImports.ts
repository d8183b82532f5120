import { Cause, type Duration, Effect, Option } from "effect"
import * as Entropy from "../shared/Entropy.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as Import from "./Import.js"
import { ImportStore } from "./ImportStore.js"
import { workOnImport } from "./workOnImport.js"

/** Takes one import that waits and works on it to its end. False when none waits. */
export const importNext = Effect.gen(function* () {
  const lease = yield* Entropy.id("lse")
  const now = yield* Timestamp.now
  const claimed = yield* (yield* ImportStore).claim(lease, now, Timestamp.plus(now, Import.LEASE))
  if (Option.isNone(claimed)) return false
  yield* Effect.catchAllCause(workOnImport(claimed.value, lease), (cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.interrupt
      : Effect.logWarning("An import is left to its lease", claimed.value.import.id, cause)
  )
  return true
}).pipe(Effect.withSpan("importNext"))

/** Works on imports, one at a time, until interrupted, and throws uploads away that broke off. Never fails. */
export const runImports = (every: Duration.DurationInput = "5 seconds") =>
  Effect.gen(function* () {
    while (yield* importNext);
    const before = Timestamp.plus(yield* Timestamp.now, -Import.UPLOAD_PATIENCE)
    const dropped = yield* (yield* ImportStore).dropBrokenOff(before)
    if (dropped > 0) yield* Effect.logInfo("Uploads that broke off were thrown away", dropped)
  }).pipe(
    Effect.catchAllCause((cause) => Effect.logError("Imports could not be worked on, later again", cause)),
    Effect.zipRight(Effect.sleep(every)),
    Effect.forever
  )
