import { Context, type Effect, type Either, type Option } from "effect"
import type { EndpointUrl } from "../endpoints/EndpointUrl.js"
import type { SigningSecret } from "../endpoints/SigningSecret.js"
import type { Type } from "../events/Event.js"
import type { AppId, DeliveryId, EndpointId, EventId } from "../shared/Ids.js"
import type { Page } from "../shared/Page.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Attempt, Delivery, Finish, Logged, NewDelivery, State } from "./Delivery.js"
import type { Hurry, Refusal, Replayable } from "./Replay.js"

/** A delivery that this worker holds until the lease runs out. */
export interface Claim {
  readonly delivery: Delivery
  /** The fence: `finish` does nothing unless the row still carries it. */
  readonly lease: string
  readonly url: EndpointUrl
  readonly secrets: ReadonlyArray<SigningSecret>
}

export interface ClaimRequest {
  /** How many at most. */
  readonly limit: number
  /** How many of one endpoint may be under way at once, other workers' included. */
  readonly perEndpoint: number
  readonly lease: string
  readonly now: Timestamp
  readonly leaseUntil: Timestamp
}

export interface Claimed {
  readonly claims: ReadonlyArray<Claim>
  /** More waits in vain than one claim ends: claim again at once. */
  readonly isUnfinished: boolean
}

export interface Filter {
  readonly endpointId?: EndpointId | undefined
  readonly eventId?: EventId | undefined
  /** Any of these payload types. */
  readonly types?: ReadonlyArray<Type> | undefined
  readonly state?: State | undefined
  /** By creation: `[from, to)`. */
  readonly from?: Timestamp | undefined
  readonly to?: Timestamp | undefined
}

/** The queue: rows of the app, leased, fenced, fair between endpoints. */
export class DeliveryStore extends Context.Tag("@place-access/domain/deliveries/DeliveryStore")<
  DeliveryStore,
  {
    /**
     * Idempotent by (event, endpoint, replay): fanning an event out twice makes no second row. A row whose endpoint was
     * disabled since its epoch was read is stored as failed; one whose endpoint is gone is not stored. All of one app.
     */
    readonly insert: (rows: ReadonlyArray<NewDelivery>) => Effect.Effect<void, StoreError>
    /**
     * Due rows of enabled endpoints, a few of each, so that one endpoint with a long backlog does not hold up the rest. A
     * row whose lease ran out is claimed again with the same attempt number, as often and as late as `Delivery.dueAfterLapse`
     * says, and then abandoned. Rows of an earlier endpoint epoch never are; those that are met and not under way end as
     * failed, so many at a time that nobody else is held up.
     */
    readonly claim: (request: ClaimRequest) => Effect.Effect<Claimed, StoreError>
    /**
     * One statement: the attempt's log row, the move of the delivery and the endpoint's strike counter (exhausted +1,
     * automatic success 0, disabled at 20 with its waiting rows failed), with a warning for its developer at the 10th and the
     * 20th. Replays never count, nor does a row of an earlier epoch; such a row is not tried again either: a retry of it ends as
     * failed. False, and nothing written, when the lease was lost.
     */
    readonly finish: (
      claim: Pick<Claim, "lease"> & { readonly appId: AppId; readonly id: DeliveryId },
      finish: Finish,
      attempt: Attempt | null
    ) => Effect.Effect<boolean, StoreError>
    /** The first due time later than `after`, whoever's row it is; none when nothing waits for later. */
    readonly nextDueAt: (after: Timestamp) => Effect.Effect<Option.Option<Timestamp>, StoreError>
    /** Stores a test that has happened: ended, with its only attempt. It is never claimed and never counts (decision W6). */
    readonly recordTest: (delivery: Delivery, attempt: Attempt) => Effect.Effect<void, StoreError>

    /**
     * Locks the row's endpoint, then reads the clock and the rows of the event there, then decides; stores the row that comes of
     * it. Two of one event queue up here. None when the app has no such row.
     */
    readonly replay: (
      appId: AppId,
      id: DeliveryId,
      decide: (state: Replayable, now: Timestamp) => Either.Either<NewDelivery, Refusal>
    ) => Effect.Effect<Option.Option<Either.Either<NewDelivery, Refusal>>, StoreError>
    /**
     * Makes the next attempt due at `now`, unless it is due or under way already (Spec §4.7). None when the app has no such row.
     */
    readonly hurry: (appId: AppId, id: DeliveryId, now: Timestamp) => Effect.Effect<Option.Option<Hurry>, StoreError>
    /**
     * Replays failed rows of an enabled endpoint made at `since` or later, the oldest first, as many as there are `ids`: no tests,
     * none that was replayed or is too old. Made at `now`, and due a millisecond apart from `dueFrom` on. Answers how many.
     */
    readonly recover: (asked: {
      readonly appId: AppId
      readonly endpointId: EndpointId
      readonly since: Timestamp
      readonly ids: ReadonlyArray<DeliveryId>
      readonly now: Timestamp
      readonly dueFrom: Timestamp
    }) => Effect.Effect<number, StoreError>

    /** With its attempts. None when the app has no such row. */
    readonly find: (
      appId: AppId,
      id: DeliveryId
    ) => Effect.Effect<
      Option.Option<Pick<Logged, "delivery" | "isReplayed"> & { readonly attempts: ReadonlyArray<Attempt> }>,
      StoreError
    >
    /** Newest first. */
    readonly list: (
      appId: AppId,
      filter: Filter,
      limit: number,
      after: ReadonlyArray<string | number> | undefined
    ) => Effect.Effect<Page<Logged>, StoreError>
  }
>() {}
