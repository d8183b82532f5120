import { Context, type Effect, type Either, type Option } from "effect"
import type { EndpointHeader } from "../endpoints/EndpointHeader.js"
import type { EndpointUrl } from "../endpoints/EndpointUrl.js"
import type { SigningSecret } from "../endpoints/SigningSecret.js"
import type { EventType } from "../events/Event.js"
import type { AppId, DeliveryId, EndpointId, EventId, StoreError } from "../shared/index.js"
import type { Page } from "../shared/Page.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Attempt, Delivery, DeliveryFinish, FailReason, Logged, NewDelivery, DeliveryState } from "./Delivery.js"
import type { Hurry, ReplayRefusal, Replayable } from "./Replay.js"

// The queue of deliveries. Decisions deliveries-3, deliveries-5, deliveries-7 and deliveries-8.

/** A delivery that this worker may attempt until its lease runs out. */
export interface ClaimedDelivery {
  readonly delivery: Delivery
  /**
   * The id of the lease. If another worker has claimed the row after this claim, the row has another lease, and
   * `finish` writes nothing.
   */
  readonly lease: string
  readonly url: EndpointUrl
  readonly secrets: ReadonlyArray<SigningSecret>
  readonly headers: ReadonlyArray<EndpointHeader>
}

export interface ClaimRequest {
  /** How many deliveries to claim at most. */
  readonly limit: number
  /** How many claimed deliveries of one endpoint may be in flight at once, those of other workers included. */
  readonly perEndpoint: number
  readonly lease: string
  readonly now: Timestamp
  readonly leaseUntil: Timestamp
  /**
   * The slow endpoints: those whose last attempt by this worker failed or took long. `limit` is how many deliveries of
   * all slow endpoints together to claim at most. The other endpoints get at least half of `ClaimRequest.limit`
   * (rounded down), if enough of their deliveries are due. Left out: no endpoint counts as slow.
   */
  readonly slow?: { readonly ids: ReadonlyArray<EndpointId>; readonly limit: number }
}

export interface ClaimedDeliveries {
  readonly claims: ReadonlyArray<ClaimedDelivery>
  /**
   * True when the claim may have ended only a part of the waiting rows of disabled or removed endpoints. Then the
   * worker claims again without waiting for a due time or a signal, to end the other rows.
   */
  readonly isUnfinished: boolean
  /** True when another transaction had locked an endpoint with due deliveries. Then the worker claims again soon. */
  readonly isSkipping: boolean
}

/** What `DeliveryStore.insertAttempted` did. */
export interface InsertedAttempt {
  /** False when the delivery was stored already, for example by another worker. */
  readonly isStored: boolean
  /** Whether the event is marked as fanned out. */
  readonly isFannedOut: boolean
}

export interface DeliveryFilter {
  readonly endpointId?: EndpointId | undefined
  readonly eventId?: EventId | undefined
  /** The log lists only the deliveries of events of these types. Left out: the deliveries of all events. */
  readonly types?: ReadonlyArray<EventType> | undefined
  /** True: the log leaves out withheld deliveries (`Delivery.isWithheld`), because `types` would reveal their types. */
  readonly leavesOutWithheld?: boolean | undefined
  readonly state?: DeliveryState | undefined
  readonly failReason?: FailReason | undefined
  /** The HTTP status of the newest attempt; null: deliveries whose newest attempt got no answer. */
  readonly status?: number | null | undefined
  /** The log lists the deliveries that were created at `from` or later, and before `to`. */
  readonly from?: Timestamp | undefined
  readonly to?: Timestamp | undefined
}

/**
 * The queue of deliveries. A worker leases rows with `claim`, and stores the results with `finish`. The store refuses a
 * result when the worker has lost the lease.
 */
export class DeliveryStore extends Context.Tag("@place-access/domain/deliveries/DeliveryStore")<
  DeliveryStore,
  {
    /**
     * Stores new rows of one app. Idempotent by event, endpoint and replay number, because a worker may repeat a
     * fan-out. A row is stored as failed when its endpoint has a newer epoch: the endpoint was disabled after the
     * caller read it. A row is not stored when its endpoint was removed.
     */
    readonly insert: (rows: ReadonlyArray<NewDelivery>) => Effect.Effect<void, StoreError>
    /**
     * Stores a delivery that was attempted before it was stored: its row in the state after the first attempt, and the
     * attempt's log row. After a success it sets the endpoint's strikes to 0. The stored data are the same as after
     * `insert`, a claim and `finish`. Stores nothing when a delivery of this event to this endpoint is stored already,
     * for example by another worker, or by an earlier try whose answer was lost.
     *
     * `isOnly`: the event has no other delivery. When all tables are on one server, the store then also marks the event
     * as fanned out, in the same transaction, whether or not it stored the delivery. Otherwise the caller marks the
     * event.
     */
    readonly insertAttempted: (
      row: NewDelivery,
      finish: DeliveryFinish,
      attempt: Attempt | null,
      isOnly: boolean
    ) => Effect.Effect<InsertedAttempt, StoreError>
    /**
     * Leases due rows of enabled endpoints to this worker. The claim takes only a few rows of each endpoint, so that a
     * long backlog of one endpoint does not delay the others. The claim skips an endpoint that another transaction has
     * locked, and does not wait for the lock.
     *
     * A row whose lease ran out is claimed again with the same attempt number. When too many leases in a row ran out
     * (`Delivery.dueAfterLapse`), the row is abandoned. Rows of a removed endpoint, and rows of an earlier epoch, from
     * before the endpoint was disabled, are not claimed. They end as failed, a limited number in each claim, so that
     * the claim stays short.
     *
     * The claim takes the first rows of each endpoint in the order of `Delivery.byDueTime`: by due time, then by the
     * character codes of the id. The returned claims have the same order.
     */
    readonly claim: (request: ClaimRequest) => Effect.Effect<ClaimedDeliveries, StoreError>
    /**
     * Stores a result in one transaction: the attempt's log row, the new state of the delivery, and the endpoint's
     * strikes. Returns false, and writes nothing, when the lease was lost.
     *
     * A delivery that used up all its attempts adds a strike, and a success sets the strikes to 0. The 10th and the
     * 20th strike store a warning (`StrikeWarning`). The 20th strike disables the endpoint and ends its waiting rows as
     * failed: a limited number at once, the others in later claims. Replays, tests, hurried attempts and rows of an
     * earlier epoch do not change strikes. A row of an earlier epoch or of a removed endpoint that would get another
     * attempt ends as failed.
     */
    readonly finish: (
      claim: Pick<ClaimedDelivery, "lease"> & { readonly appId: AppId; readonly id: DeliveryId },
      finish: DeliveryFinish,
      attempt: Attempt | null
    ) => Effect.Effect<boolean, StoreError>
    /** The earliest due time of all waiting rows that is later than `after`. None when there is no such row. */
    readonly nextDueAt: (after: Timestamp) => Effect.Effect<Option.Option<Timestamp>, StoreError>
    /**
     * Stores a finished test with its only attempt. `attempt` is null when no request was sent. No worker claims the
     * test, and the test never changes strikes (decision W6).
     */
    readonly recordTest: (delivery: Delivery, attempt: Attempt | null) => Effect.Effect<void, StoreError>

    /**
     * Locks the row's endpoint, reads the clock and the event's rows, gives them to `decide` and stores the new row.
     * The lock makes two replays of one event wait for each other. Before `decide` is called, waiting rows of the event
     * at this endpoint end as failed if they are of an earlier epoch, or if the endpoint was removed. None when the app
     * has no row of this id, or when the event's rows are deleted before the new row is stored (decision deletions-3).
     */
    readonly replay: (
      appId: AppId,
      id: DeliveryId,
      decide: (state: Replayable, now: Timestamp) => Either.Either<NewDelivery, ReplayRefusal>
    ) => Effect.Effect<Option.Option<Either.Either<NewDelivery, ReplayRefusal>>, StoreError>
    /**
     * Makes the next attempt due at `now`, unless the attempt is due or in flight already (Spec §4.7). A waiting row of
     * an earlier epoch or of a removed endpoint ends as failed instead. None when the app has no row of this id.
     */
    readonly hurry: (appId: AppId, id: DeliveryId, now: Timestamp) => Effect.Effect<Option.Option<Hurry>, StoreError>
    /**
     * Replays failed rows of the endpoint that were created at `since` or later and before `before`, oldest first, at
     * most as many as there are `ids`. Before that, stores the rows of an earlier epoch that still wait as failed, as
     * `replay` does. Does not replay tests, rows that were replayed already, rows whose event is too old, and rows that
     * failed because the user did not allow the event. The new rows are created at `now`. The first is due at
     * `dueFrom`, and each further row one millisecond later. Returns how many rows were created: none when the endpoint
     * is disabled or removed.
     */
    readonly recover: (recovery: {
      readonly appId: AppId
      readonly endpointId: EndpointId
      readonly since: Timestamp
      readonly before: Timestamp
      readonly ids: ReadonlyArray<DeliveryId>
      readonly now: Timestamp
      readonly dueFrom: Timestamp
    }) => Effect.Effect<number, StoreError>

    /** A delivery with its attempts, oldest first. None when the app has no row of this id. */
    readonly find: (
      appId: AppId,
      id: DeliveryId
    ) => Effect.Effect<
      Option.Option<Pick<Logged, "delivery" | "isReplayed"> & { readonly attempts: ReadonlyArray<Attempt> }>,
      StoreError
    >
    /** The app's deliveries, newest first. */
    readonly list: (
      appId: AppId,
      filter: DeliveryFilter,
      limit: number,
      after: ReadonlyArray<string | number> | undefined
    ) => Effect.Effect<Page<Logged>, StoreError>
  }
>() {}
