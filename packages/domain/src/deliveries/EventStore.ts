import { Context, type Effect, type Option } from "effect"
import type { EventId, RuleId, StoreError, Timestamp, UserId } from "../shared/index.js"
import type { Authorisation } from "./Authorisation.js"
import type { OutboxEvent } from "../events/Event.js"

// The port of the outbox. Decisions events-1 and events-2.

/** The outbox: events, committed with the user's data, wait for a worker. None is lost if a process dies. */
export class EventStore extends Context.Tag("@place-access/domain/deliveries/EventStore")<
  EventStore,
  {
    /** Leases up to `limit` events without fan-out until `leaseUntil`, oldest first. No other worker takes them. */
    readonly claimPending: (
      limit: number,
      now: Timestamp.Timestamp,
      leaseUntil: Timestamp.Timestamp
    ) => Effect.Effect<ReadonlyArray<OutboxEvent>, StoreError>
    /** Marks events as fanned out. Idempotent. */
    readonly markFannedOut: (
      events: ReadonlyArray<{ readonly userId: UserId; readonly id: EventId }>,
      at: Timestamp.Timestamp
    ) => Effect.Effect<void, StoreError>
    /** What the check before sending needs. None when the connection does not exist. */
    readonly authorisation: (
      userId: UserId,
      connectionId: OutboxEvent["connectionId"],
      ruleId: RuleId | null
    ) => Effect.Effect<Option.Option<Authorisation>, StoreError>
  }
>() {}
