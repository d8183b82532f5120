import { Effect } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import { type Import, MAX_LISTED } from "./Import.js"
import { ImportStore } from "./ImportStore.js"

/** The user's newest imports, the newest first. */
export const listImports = (userId: UserId): Effect.Effect<ReadonlyArray<Import>, StoreError, ImportStore> =>
  Effect.flatMap(ImportStore, (imports) => imports.list(userId, MAX_LISTED)).pipe(Effect.withSpan("listImports"))
