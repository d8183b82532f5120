import { Context, type Effect, type Option } from "effect"
import type { EventId, RuleId, StoreError, Timestamp, UserId } from "../shared/index.js"
import type { Authorisation } from "./Authorisation.js"
import type { OutboxEvent, WaitingEvent } from "../events/Event.js"

// The port of the outbox. Decisions events-1 and events-2.

/** Names an event. */
export interface EventKey {
  readonly userId: UserId
  readonly id: EventId
}

export interface PendingEvents {
  readonly events: ReadonlyArray<WaitingEvent>
  /** Due events whose rows cannot be read. They count towards the limit. */
  readonly unreadable: ReadonlyArray<EventKey>
}

/** The outbox: events, committed with the user's data, wait for a worker. None is lost if a process dies. */
export class EventStore extends Context.Tag("@place-access/domain/deliveries/EventStore")<
  EventStore,
  {
    /**
     * Reads up to `limit` due events without fan-out, of the people in these buckets (`Bucket`), and none of `except`:
     * the worker has these in hand already. They come in the order of due time, then of when they occurred, then of id
     * by the codes of its characters (decision deliveries-16). It writes nothing: the worker that holds the leases of
     * the buckets is alone with their events.
     */
    readonly pending: (
      buckets: ReadonlyArray<number>,
      limit: number,
      now: Timestamp.Timestamp,
      except?: ReadonlyArray<EventId>
    ) => Effect.Effect<PendingEvents, StoreError>
    /** Makes events due later that have no fan-out yet. */
    readonly postpone: (events: ReadonlyArray<EventKey>, until: Timestamp.Timestamp) => Effect.Effect<void, StoreError>
    /** Marks events as fanned out. Idempotent. */
    readonly markFannedOut: (
      events: ReadonlyArray<EventKey>,
      at: Timestamp.Timestamp
    ) => Effect.Effect<void, StoreError>
    /**
     * What the check before sending needs. None when the connection does not exist. `occurredAt` is the time of the
     * event; left out: it is not asked whether the user deleted the history of that time.
     */
    readonly authorisation: (
      userId: UserId,
      connectionId: OutboxEvent["connectionId"],
      ruleId: RuleId | null,
      occurredAt?: Timestamp.Timestamp
    ) => Effect.Effect<Option.Option<Authorisation>, StoreError>
  }
>() {}
