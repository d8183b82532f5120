import { Context, type Effect } from "effect"
import type { App } from "../apps/App.js"
import type { Purpose } from "../purposes/Purpose.js"
import type { EndReason } from "../connection/Connection.js"
import type { AppId, ConnectionId } from "../shared/Ids.js"
import type { Page } from "../shared/Page.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { ReviewDecision } from "./ReviewDecision.js"
import type { Submission } from "./Submission.js"

/** An app, or a purpose of it, that waits for a reviewer. */
export interface Waiting {
  readonly submission: Submission
  readonly app: App
  /** Null: the app itself waits. */
  readonly purpose: Purpose | null
}

/** A connection that was flagged because a key of it was presented again. Who the user is, is no reviewer's business. */
export interface Leaked {
  readonly connectionId: ConnectionId
  readonly appId: AppId
  /** Of several times the last. */
  readonly flaggedAt: Timestamp
  /** Another reason than a leak: the connection had ended before. */
  readonly endReason: EndReason | null
}

/** What is in review, and what was decided. Decisions are written by `AppStore.update` and `PurposeStore.update`. */
export class ReviewStore extends Context.Tag("@place-access/domain/reviews/ReviewStore")<
  ReviewStore,
  {
    /** Longest waiting first, then by id; without archived purposes, and without anything of a revoked app. */
    readonly queue: (
      limit: number,
      after: ReadonlyArray<string | number> | undefined
    ) => Effect.Effect<Page<Waiting>, StoreError>
    /** About the app and its purposes, newest first, then by id downwards. */
    readonly decisions: (
      appId: AppId,
      limit: number,
      after: ReadonlyArray<string | number> | undefined
    ) => Effect.Effect<Page<ReviewDecision>, StoreError>
    /** Every flagged connection, newest flag first, then by id downwards. */
    readonly leaks: (
      limit: number,
      after: ReadonlyArray<string | number> | undefined
    ) => Effect.Effect<Page<Leaked>, StoreError>
  }
>() {}
