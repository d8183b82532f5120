import { Effect } from "effect"
import { NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Import } from "./Import.js"
import { ImportStore, type Owned } from "./ImportStore.js"

/** How far it is. `NotFound` for one that is somebody else's, or still being uploaded. */
export const getImport = (of: Owned): Effect.Effect<Import, NotFound | StoreError, ImportStore> =>
  Effect.gen(function* () {
    const found = yield* (yield* ImportStore).find(of)
    return yield* Effect.mapError(found, () => new NotFound({ what: "import" }))
  }).pipe(Effect.withSpan("getImport"))
