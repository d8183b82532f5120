import { Array, Effect } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import { EndpointStore, WebhookEndpoint } from "../endpoints/index.js"
import { envelope, type OutboxEvent } from "../events/Event.js"
import { type Delivery, DeliveryStore, EventStore } from "../deliveries/index.js"
import { Bucket } from "../leases/index.js"
import { LegacyStore, type Receiver } from "../legacy/index.js"
import { ListenerStore } from "../listeners/ListenerStore.js"
import { offer, offersOf } from "../listeners/manageListeners.js"
import { type DeliveryId, Entropy, type EventId, program, Telemetry, Timestamp } from "../shared/index.js"
import * as Disclosure from "../deliveries/Disclosure.js"
import * as LegacyDelivery from "./LegacyDelivery.js"

const taken = Telemetry.counter("place_access.outbox.events", {
  description: "Events that were taken from the outbox to be turned into deliveries"
})
const made = Telemetry.counter("place_access.outbox.deliveries", { description: "Deliveries that events became" })

/** How long the events of an app wait whose rows could not be written, and an event that cannot be read. */
const FAILED_WAIT = 30 * Timestamp.SECOND

/** How many apps' rows are written concurrently. */
const APPS_AT_ONCE = 4

export interface FanOutResult {
  /** The number of events that were read. When it is `limit`, more events may wait. */
  readonly taken: number
  /** The number of stored deliveries. */
  readonly deliveries: number
  /** Deliveries to legacy receivers. They are not stored: the caller keeps them in memory. */
  readonly legacy: ReadonlyArray<LegacyDelivery.LegacyDelivery>
  /** The number of rows for listeners. */
  readonly offered: number
}

/**
 * Turns up to `limit` events of these buckets of the outbox into deliveries: a row for each subscribed endpoint, a row
 * for each listener, and a delivery in memory for each legacy receiver. A firing without any receiver is in the user's
 * access log too.
 *
 * Events are rows of users and deliveries are rows of apps, so there are two transactions: first the deliveries, which
 * are idempotent, then the mark on the event. When a worker dies in between, or two workers take one bucket for theirs,
 * the repetition has no effect; only a listener may receive the event twice. So the fan-out needs no fence. `onRows`
 * runs as soon as an app's rows are stored.
 */
export const fanOut = program(
  "fanOut",
  function* (limit: number, buckets: ReadonlyArray<number> = Bucket.ALL, onRows: Effect.Effect<void> = Effect.void) {
    const events = yield* EventStore
    const now = yield* Timestamp.now
    const { events: due, unreadable } = yield* events.pending(buckets, limit, now)
    if (unreadable.length > 0) yield* events.postpone(unreadable, Timestamp.plus(now, FAILED_WAIT))
    const byApp = Object.values(Array.groupBy(due, (event) => event.appId))
    const written = yield* Effect.forEach(byApp, (ofApp) => insertRows(ofApp, now, onRows), {
      concurrency: APPS_AT_ONCE
    })
    const fannedOut: FanOutResult = {
      taken: due.length + unreadable.length,
      deliveries: written.reduce((sum, { rows }) => sum + rows, 0),
      legacy: written.flatMap(({ legacy }) => legacy),
      offered: written.reduce((sum, { offered }) => sum + offered, 0)
    }
    yield* Telemetry.measure(() => {
      if (due.length > 0) taken.record(due.length, {})
      if (fannedOut.deliveries > 0) made.record(fannedOut.deliveries, {})
    })
    return fannedOut
  }
)

/** A failure concerns one app only: its events are postponed. */
const insertRows = (
  events: Array.NonEmptyReadonlyArray<OutboxEvent>,
  now: Timestamp.Timestamp,
  onRows: Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const appId = events[0].appId
    const [endpointStore, legacyStore, listenerStore] = [yield* EndpointStore, yield* LegacyStore, yield* ListenerStore]
    const [endpoints, receivers, listeners] = yield* Effect.all(
      [endpointStore.list(appId), legacyStore.receivers(events), listenerStore.live(appId, now)],
      { concurrency: "unbounded" }
    )
    const entropy = yield* Entropy.Entropy
    const rows = yield* Effect.forEach(pairs(events, endpoints, receivers), ([event, endpoint]) =>
      newDelivery(entropy, event, endpoint, now)
    )
    const legacy = events.flatMap((event) =>
      (receivers.get(event.id) ?? []).map((receiver) => LegacyDelivery.begin(event, receiver, now))
    )
    const told = new Set([...rows, ...legacy].map(({ envelope }) => envelope.eventId))
    const ownAddress = new Set(events.filter(({ id }) => hasOwnAddress(receivers, id)).map(({ id }) => id))
    const offers = offersOf({ appId, events, endpoints, listeners, ownAddress, told }, now)
    const heard = new Set(offers.map(({ envelope }) => envelope.eventId))
    const log = yield* AccessLogStore
    const toNobody = events
      .filter(({ id }) => !told.has(id) && !heard.has(id))
      .flatMap((event) => Disclosure.toNobody(event) ?? [])
    yield* Effect.forEach(toNobody, log.record, { concurrency: "unbounded", discard: true })
    if (rows.length > 0) yield* Effect.zipRight((yield* DeliveryStore).insert(rows), onRows)
    yield* offer(offers)
    yield* (yield* EventStore).markFannedOut(events, now)
    return { rows: rows.length, legacy, offered: offers.length }
  }).pipe(
    Effect.tapErrorCause((cause) => Effect.logWarning("Fan-out of an app's events failed", events[0].appId, cause)),
    Effect.catchAll(() =>
      Effect.as(
        Effect.flatMap(EventStore, (store) => store.postpone(events, Timestamp.plus(now, FAILED_WAIT))),
        NOTHING_WRITTEN
      )
    )
  )

const NOTHING_WRITTEN = { rows: 0, legacy: [], offered: 0 }

const hasOwnAddress = (receivers: ReadonlyMap<EventId, ReadonlyArray<Receiver.LegacyReceiver>>, id: EventId): boolean =>
  receivers.get(id)?.some(({ _tag }) => _tag === "Rule") === true

/** An event of a rule with an address of its own goes only there, even if an endpoint has the same address. */
const pairs = (
  events: ReadonlyArray<OutboxEvent>,
  endpoints: ReadonlyArray<WebhookEndpoint.WebhookEndpoint>,
  receivers: ReadonlyMap<EventId, ReadonlyArray<Receiver.LegacyReceiver>>
) =>
  events.flatMap((event) =>
    hasOwnAddress(receivers, event.id)
      ? []
      : endpoints
          .filter((endpoint) => WebhookEndpoint.wants(endpoint, event))
          .map((endpoint) => [event, endpoint] as const)
  )

const newDelivery = (
  entropy: typeof Entropy.Entropy.Service,
  event: OutboxEvent,
  endpoint: WebhookEndpoint.WebhookEndpoint,
  now: Timestamp.Timestamp
): Effect.Effect<Delivery.NewDelivery> =>
  Effect.map(Entropy.idFrom(entropy, "dlv"), (id) => ({
    appId: event.appId,
    id: id as DeliveryId,
    endpointId: endpoint.id,
    endpointEpoch: endpoint.epoch,
    envelope: envelope(event),
    userId: event.userId,
    maxEventAgeS: event.maxEventAgeS,
    replayNo: 0,
    isTest: false,
    createdAt: now,
    originalAt: now
  }))
