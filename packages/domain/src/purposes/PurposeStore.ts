import { Context, type Effect, type Option } from "effect"
import type { RecordedDecision } from "../reviews/ReviewDecision.js"
import type * as PurposeReview from "./PurposeReview.js"
import type { AppId, Conflict, PurposeId, StoreEffect, StoreError, Timestamp } from "../shared/index.js"
import type { Purpose, PurposeApproval } from "./Purpose.js"

/** The result of `decide` in `PurposeStore.update`. `outcome` is returned to the caller. */
export interface PurposeChange<A> {
  readonly outcome: A
  /** The purpose to store; null: nothing is stored. */
  readonly after: Purpose | null
  /** The review decision that made the change. The store commits the change and the decision in one transaction. */
  readonly recorded?: RecordedDecision<PurposeReview.PurposeUnderReview> | undefined
}

/** The purposes of apps, in every status. */
export class PurposeStore extends Context.Tag("@place-access/domain/purposes/PurposeStore")<
  PurposeStore,
  {
    /**
     * Counts the app's purposes and stores the new purpose, under one lock of the app. Fails with `Conflict` when the
     * app ever had a purpose with this key, or has `Purpose.MAX_PER_APP` purposes, archived ones included.
     */
    readonly create: (purpose: Purpose) => Effect.Effect<void, Conflict | StoreError>
    /** The app's purposes, ordered by key, archived ones included. */
    readonly list: (appId: AppId) => StoreEffect<ReadonlyArray<Purpose>>
    /** All approvals of the app's purposes, oldest first. Approvals of the same time are ordered by decision id. */
    readonly approvals: (appId: AppId) => StoreEffect<ReadonlyArray<PurposeApproval>>
    /** A purpose of any app, archived or not. */
    readonly find: (id: PurposeId) => StoreEffect<Option.Option<Purpose>>
    /**
     * Locks the purpose, reads the clock, calls `decide` with the present state, and stores the returned `after` and
     * `recorded`. `after` must have the same id, app, key and creation time. None when there is no such purpose.
     * `decide` is a plain function.
     */
    readonly update: <A>(
      id: PurposeId,
      decide: (before: Purpose, now: Timestamp.Timestamp) => PurposeChange<A>
    ) => StoreEffect<Option.Option<A>>
  }
>() {}
