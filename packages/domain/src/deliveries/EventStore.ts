import { Context, type Effect, type Option } from "effect"
import type { EventId, RuleId, StoreError, Timestamp, UserId } from "../shared/index.js"
import type { Authorisation } from "./Authorisation.js"
import type { OutboxEvent, WaitingEvent } from "../events/Event.js"

// The port of the outbox. Decisions events-1 and events-2.

/** The key of an event: its user and its id. */
export interface EventKey {
  readonly userId: UserId
  readonly id: EventId
}

export interface PendingEvents {
  readonly events: ReadonlyArray<WaitingEvent>
  /** Due events whose stored rows cannot be decoded. They count towards the limit. */
  readonly unreadable: ReadonlyArray<EventKey>
}

/**
 * The outbox: an event is committed together with the user's data, and waits here for a worker. So no event is lost
 * when a process dies.
 */
export class EventStore extends Context.Tag("@place-access/domain/deliveries/EventStore")<
  EventStore,
  {
    /**
     * Reads up to `limit` due events that are not fanned out yet, of the people in these buckets (`Bucket`). Leaves out
     * the events in `except`, which this worker is sending already. The order is due time, then the time at which the
     * event occurred, then id by the codes of its characters (decision deliveries-16). The store does not mark the
     * events that it returns, because only the worker that holds the leases of the buckets reads these events. It says
     * which events occurred during a suspension (`WaitingEvent.isSuspended`).
     */
    readonly pending: (
      buckets: ReadonlyArray<number>,
      limit: number,
      now: Timestamp.Timestamp,
      except?: ReadonlyArray<EventId>
    ) => Effect.Effect<PendingEvents, StoreError>
    /** Makes the events due at `until`, except events that are fanned out already. */
    readonly postpone: (events: ReadonlyArray<EventKey>, until: Timestamp.Timestamp) => Effect.Effect<void, StoreError>
    /** Marks events as fanned out. Idempotent. */
    readonly markFannedOut: (
      events: ReadonlyArray<EventKey>,
      at: Timestamp.Timestamp
    ) => Effect.Effect<void, StoreError>
    /**
     * What the check before sending needs. None when the connection does not exist. `occurredAt` is the time of the
     * event; left out: the store looks up neither whether the user deleted the history of that time, nor whether an
     * earlier suspension contains it.
     */
    readonly authorisation: (
      userId: UserId,
      connectionId: OutboxEvent["connectionId"],
      ruleId: RuleId | null,
      occurredAt?: Timestamp.Timestamp
    ) => Effect.Effect<Option.Option<Authorisation>, StoreError>
  }
>() {}
