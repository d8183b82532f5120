import { Array, Effect } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import { EndpointStore } from "../endpoints/EndpointStore.js"
import { type WebhookEndpoint, wants } from "../endpoints/WebhookEndpoint.js"
import { envelope, type OutboxEvent } from "../events/Event.js"
import { EventStore } from "../events/EventStore.js"
import { LegacyStore } from "../legacy/LegacyStore.js"
import type { Receiver } from "../legacy/Receiver.js"
import { ListenerStore } from "../listeners/ListenerStore.js"
import { offer, offersOf } from "../listeners/offerEvents.js"
import * as Entropy from "../shared/Entropy.js"
import type { DeliveryId, EventId } from "../shared/Ids.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { NewDelivery } from "./Delivery.js"
import * as Delivery from "./Delivery.js"
import { DeliveryStore } from "./DeliveryStore.js"
import * as Disclosure from "./Disclosure.js"
import * as LegacyDelivery from "./LegacyDelivery.js"

const taken = Telemetry.counter("place_access.outbox.events", {
  description: "Events that were taken from the outbox to be turned into deliveries"
})
const made = Telemetry.counter("place_access.outbox.deliveries", { description: "Deliveries that events became" })

/** How many apps' rows are written at the same time. */
const APPS_AT_ONCE = 4

export interface FannedOut {
  /** Events that were claimed; as many as asked for means that more may wait. */
  readonly claimed: number
  /** Rows that they became. */
  readonly deliveries: number
  /** For receivers from before apps had endpoints: stored nowhere, the caller holds them. */
  readonly legacy: ReadonlyArray<LegacyDelivery.LegacyDelivery>
  /** Rows for developers who listen, whose servers take them. */
  readonly offered: number
}

/**
 * Turns up to `limit` events of the outbox into deliveries: one for each endpoint that wants the event, one in memory for each
 * legacy receiver, and one for each developer who listens; a firing that nobody wants is in the user's access log all the
 * same. Two transactions, because events are the user's and deliveries the app's: first the rows, which may exist already,
 * then the mark. Whoever dies between the two is repeated without a trace, but for a listener, who may be told twice. `onRows`
 * runs when rows of an app are there, before anything else of the batch.
 */
export const fanOut = Effect.fnUntraced(function* (limit: number, onRows: Effect.Effect<void> = Effect.void) {
  const events = yield* EventStore
  const now = yield* Timestamp.now
  const claimed = yield* events.claimPending(limit, now, Timestamp.plus(now, Delivery.LEASE))
  const byApp = Object.values(Array.groupBy(claimed, (event) => event.appId))
  const written = yield* Effect.forEach(byApp, (ofApp) => insertRows(ofApp, now, onRows), { concurrency: APPS_AT_ONCE })
  const fannedOut: FannedOut = {
    claimed: claimed.length,
    deliveries: written.reduce((sum, { rows }) => sum + rows, 0),
    legacy: written.flatMap(({ legacy }) => legacy),
    offered: written.reduce((sum, { offered }) => sum + offered, 0)
  }
  yield* Telemetry.measure(() => {
    if (fannedOut.claimed > 0) taken.record(fannedOut.claimed, {})
    if (fannedOut.deliveries > 0) made.record(fannedOut.deliveries, {})
  })
  return fannedOut
}, Telemetry.span("fanOut"))

/** One app's trouble is not the others': its events come again when their lease is over. */
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
    Effect.orElseSucceed(() => ({ rows: 0, legacy: [], offered: 0 }))
  )

const hasOwnAddress = (receivers: ReadonlyMap<EventId, ReadonlyArray<Receiver>>, id: EventId): boolean =>
  receivers.get(id)?.some(({ _tag }) => _tag === "Rule") === true

/** What a rule fires that has an address of its own goes there alone, even if an endpoint has the same one. */
const pairs = (
  events: ReadonlyArray<OutboxEvent>,
  endpoints: ReadonlyArray<WebhookEndpoint>,
  receivers: ReadonlyMap<EventId, ReadonlyArray<Receiver>>
) =>
  events.flatMap((event) =>
    hasOwnAddress(receivers, event.id)
      ? []
      : endpoints.filter((endpoint) => wants(endpoint, event)).map((endpoint) => [event, endpoint] as const)
  )

const newDelivery = (
  entropy: typeof Entropy.Entropy.Service,
  event: OutboxEvent,
  endpoint: WebhookEndpoint,
  now: Timestamp.Timestamp
): Effect.Effect<NewDelivery> =>
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
