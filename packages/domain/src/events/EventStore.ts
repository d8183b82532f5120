import { Context, type Effect, type Option } from "effect"
import type { EventId, RuleId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Authorisation } from "./Authorisation.js"
import type { OutboxEvent } from "./Event.js"

/** The outbox: events written with the user's data, waiting to be turned into deliveries. */
export class EventStore extends Context.Tag("@place-access/domain/events/EventStore")<
  EventStore,
  {
    /**
     * Up to `limit` events that were not fanned out, oldest first, held until `leaseUntil`: no other worker gets them before,
     * and whoever does not finish by then is overtaken.
     */
    readonly claimPending: (
      limit: number,
      now: Timestamp,
      leaseUntil: Timestamp
    ) => Effect.Effect<ReadonlyArray<OutboxEvent>, StoreError>
    /** Idempotent. */
    readonly markFannedOut: (
      events: ReadonlyArray<{ readonly userId: UserId; readonly id: EventId }>,
      at: Timestamp
    ) => Effect.Effect<void, StoreError>
    /** None when the connection does not exist. */
    readonly authorisation: (
      userId: UserId,
      connectionId: OutboxEvent["connectionId"],
      ruleId: RuleId | null
    ) => Effect.Effect<Option.Option<Authorisation>, StoreError>
  }
>() {}
