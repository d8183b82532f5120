import { Context, type Effect, type Option } from "effect"
import type { WebhookEndpoint } from "../endpoints/WebhookEndpoint.js"
import type { EventId, RuleId, StoreError, Timestamp, UserId } from "../shared/index.js"
import type { Authorisation } from "./Authorisation.js"
import type { OutboxEvent, WaitingEvent } from "../events/Event.js"

// The port of the outbox. Decisions events-1 and events-2.

/** The key of an event: its user and its id. */
export interface EventKey {
  readonly userId: UserId
  readonly id: EventId
}

/**
 * The data that a store reads in advance, together with an event that goes to no listener and to no legacy receiver.
 */
export interface ReadAhead {
  /** The endpoints of the event's app, as `EndpointStore.list` returns them. */
  readonly endpoints: ReadonlyArray<WebhookEndpoint>
  /** As `EventStore.authorisation` returns it. */
  readonly authorisation: Authorisation
}

/**
 * A store reads the data of `ReadAhead` in advance only when at most this number of events are due. In a backlog, many
 * events share one later read of the endpoints, which is cheaper.
 */
export const READ_AHEAD_MAX = 8

export interface PendingEvents {
  readonly events: ReadonlyArray<WaitingEvent>
  /**
   * What the store read together with the events. An event that also goes to a live listener or to a legacy receiver is
   * never in this map. A store may also leave out other events: then the caller reads the same data by other calls.
   */
  readonly ahead: ReadonlyMap<EventId, ReadAhead>
  /**
   * Due events whose stored rows cannot be decoded. They count towards the limit of the read. Otherwise one read could
   * go through any number of unreadable rows.
   */
  readonly unreadable: ReadonlyArray<EventKey>
}

/**
 * The outbox of events. A store commits an event in the same transaction as the change of the user's data, and the
 * event waits in the outbox until a worker fans it out. So no event is lost when a process dies.
 */
export class EventStore extends Context.Tag("@place-access/domain/deliveries/EventStore")<
  EventStore,
  {
    /**
     * Reads up to `limit` due events of the people in these buckets (`Bucket`) that are not fanned out yet. Leaves out
     * the events in `except`, for example the events that this worker is already sending. The order is by due time,
     * then by the time at which the event occurred, then by the character codes of the id (decision deliveries-16). The
     * store marks no event as taken: only the worker that has the leases of the buckets reads these events. The store
     * says which events occurred during a suspension (`WaitingEvent.wasSuspended`). When at most `READ_AHEAD_MAX`
     * events are due, a store whose tables are on one server also reads the data of `ReadAhead`, so that a single event
     * needs one read.
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
     * Reads the data for the check before sending. None when the connection does not exist. `occurredAt` is the time of
     * the event. If it is left out, the store looks up neither whether the user deleted the history of that time, nor
     * whether a suspension contains it.
     */
    readonly authorisation: (
      userId: UserId,
      connectionId: OutboxEvent["connectionId"],
      ruleId: RuleId | null,
      occurredAt?: Timestamp.Timestamp
    ) => Effect.Effect<Option.Option<Authorisation>, StoreError>
  }
>() {}
