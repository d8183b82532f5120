import { Context } from "effect"
import type { StoreEffect, Timestamp } from "../shared/index.js"
import type { RetentionKind } from "./Retention.js"

/** Rows that are kept for a limited time. */
export class RetentionStore extends Context.Tag("@place-access/domain/sweeps/RetentionStore")<
  RetentionStore,
  {
    /**
     * Deletes at most `limit` rows of a kind, oldest first, and returns their number: rows whose time counts from
     * `until` or earlier (`RetentionKind`). It skips locked rows; on a cluster it waits for them.
     */
    readonly remove: (kind: RetentionKind, until: Timestamp.Timestamp, limit: number) => StoreEffect<number>
  }
>() {}
