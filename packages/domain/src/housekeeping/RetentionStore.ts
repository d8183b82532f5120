import { Context, type Effect } from "effect"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Kind } from "./Retention.js"

/** What is kept for a time only. */
export class RetentionStore extends Context.Tag("@place-access/domain/housekeeping/RetentionStore")<
  RetentionStore,
  {
    /**
     * Deletes at most `limit` of a kind whose moment (`Retention.Kind`) is at or before `until`, the oldest first, and answers how
     * many. Waits for nobody: what is held by others is left for another time.
     */
    readonly remove: (kind: Kind, until: Timestamp, limit: number) => Effect.Effect<number, StoreError>
  }
>() {}
