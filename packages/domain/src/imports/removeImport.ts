import { Effect } from "effect"
import { NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import { ImportStore, type Owned } from "./ImportStore.js"

/** Stops it and throws its file away; what it has stored stays. `NotFound` the second time. */
export const removeImport = (of: Owned): Effect.Effect<void, NotFound | StoreError, ImportStore> =>
  Effect.gen(function* () {
    if (!(yield* (yield* ImportStore).remove(of))) return yield* new NotFound({ what: "import" })
  }).pipe(Effect.withSpan("removeImport"))
