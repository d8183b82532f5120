import { Array, Cause, Effect } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import { EndpointStore, WebhookEndpoint } from "../endpoints/index.js"
import { envelope, type WaitingEvent } from "../events/Event.js"
import { REPEATS } from "../deliveries/beforeSending.js"
import { Delivery, DeliveryStore, EventStore, type ReadAhead } from "../deliveries/index.js"
import type { FirstAttempt } from "../deliveries/deliver.js"
import { LegacyStore, type Receiver } from "../legacy/index.js"
import type { Listener } from "../listeners/Listener.js"
import { ListenerStore } from "../listeners/ListenerStore.js"
import { offer, offersOf } from "../listeners/manageListeners.js"
import {
  type AppId,
  type DeliveryId,
  Entropy,
  type EventId,
  fn,
  program,
  retryTransient,
  Telemetry,
  Timestamp
} from "../shared/index.js"
import * as Disclosure from "../deliveries/Disclosure.js"
import type { FirstAttempts } from "./firstAttempts.js"
import { FAILED_WAIT } from "./outboxMarks.js"
import * as LegacyDelivery from "./LegacyDelivery.js"
import { reportFirings } from "./reportFirings.js"

const taken = Telemetry.counter("place_access.outbox.events", {
  description: "Events that were taken from the outbox to be turned into deliveries"
})
const made = Telemetry.counter("place_access.outbox.deliveries", { description: "Deliveries that events became" })

/** The fan-out writes the rows of this many apps at the same time. */
const APPS_AT_ONCE = 4

export interface FanOutResult {
  /**
   * The number of events that were read. When it is `limit`, more events may wait, so the caller reads again without
   * waiting for a signal. Events that could be neither stored nor postponed do not count: they are still due, and an
   * immediate next read would only return them again.
   */
  readonly taken: number
  /** The number of deliveries that were stored and wait for a claim. */
  readonly deliveries: number
  /** Deliveries to legacy receivers. They are not stored: the caller keeps them in memory. */
  readonly legacy: ReadonlyArray<LegacyDelivery.LegacyDelivery>
  /** The number of rows that were stored for listeners. */
  readonly offered: number
}

/**
 * Reads up to `limit` events of these buckets from the outbox and turns them into deliveries: a row for each subscribed
 * endpoint, a row for each subscribed listener (a developer's machine with an open event stream), and a delivery in
 * memory for each legacy receiver. When a rule fired and no receiver gets the event, the user's access log gets an
 * entry. An event that occurred during a suspension gets no delivery, not even a delivery that ends as failed without
 * an attempt: the developer would read in its row when the event occurred, and also where, if the app uses an endpoint
 * for each place.
 *
 * When an event goes only to endpoints, `firsts` may send it immediately. Then the event's deliveries are stored after
 * the first attempt. `firsts` must not send an event that also goes to a listener or a legacy receiver: the event stays
 * in the outbox during the attempt, so after a crash the listener or legacy receiver would receive the event again.
 *
 * Events are rows of users and deliveries are rows of apps. These rows may be on different shards of the database, so
 * there are two transactions. The first inserts the deliveries, idempotently. The second marks the event as fanned out.
 * (An event that `firsts` sends to one endpoint needs only one transaction when all tables are on one server.) When a
 * worker dies in between, when the mark fails, or when two workers believe that they hold the lease of one bucket, the
 * events are fanned out twice. The second time stores no second delivery to an endpoint. Listeners, and endpoints to
 * which a worker has sent directly (`firsts`), may receive the event twice. A legacy receiver may receive the event
 * twice only when two workers fan the event out, because legacy deliveries begin after the mark. So the fan-out needs
 * no fencing token. `onRows` runs as soon as an app's rows are stored.
 */
export const fanOut = program(
  "fanOut",
  function* (limit: number, buckets: ReadonlyArray<number>, onRows: Effect.Effect<void>, firsts: FirstAttempts) {
    const events = yield* EventStore
    const now = yield* Timestamp.now
    const { ahead, events: due, unreadable } = yield* events.pending(buckets, limit, now, firsts.inHand(now))
    if (unreadable.length > 0) yield* events.postpone(unreadable, Timestamp.plus(now, FAILED_WAIT))
    const byApp = Object.values(Array.groupBy(due, (event) => event.appId))
    const isBacklog = due.length + unreadable.length === limit
    const read: OutboxRead = { now, ahead, onRows, firsts, isBacklog }
    const written = yield* Effect.forEach(byApp, (ofApp) => insertRows(ofApp, read), { concurrency: APPS_AT_ONCE })
    const fannedOut: FanOutResult = {
      taken: due.length + unreadable.length - written.reduce((sum, { stillDue }) => sum + stillDue, 0),
      deliveries: written.reduce((sum, { rows }) => sum + rows, 0),
      legacy: written.flatMap(({ legacy }) => legacy),
      offered: written.reduce((sum, { offered }) => sum + offered, 0)
    }
    yield* Telemetry.measure(() => {
      if (due.length > 0) taken.record(due.length, {})
      const all = written.reduce((sum, { begun }) => sum + begun, fannedOut.deliveries)
      if (all > 0) made.record(all, {})
    })
    return fannedOut
  }
)

/** What the fan-out of the events of one read of the outbox needs to know. `now` is a time before the read began. */
interface OutboxRead {
  readonly now: Timestamp.Timestamp
  readonly ahead: ReadonlyMap<EventId, ReadAhead>
  readonly onRows: Effect.Effect<void>
  readonly firsts: FirstAttempts
  readonly isBacklog: boolean
}

/** Who gets the events of one app. */
interface Receivers {
  readonly endpoints: ReadonlyArray<WebhookEndpoint.WebhookEndpoint>
  readonly legacy: ReadonlyMap<EventId, ReadonlyArray<Receiver.LegacyReceiver>>
  readonly listeners: ReadonlyArray<Listener>
  /** When the read of the endpoints began. */
  readonly readAt: Timestamp.Timestamp
}

/** The receivers of the events. They are read now, unless `ahead` has them for every event. */
const receiversOf = fn(function* (appId: AppId, events: ReadonlyArray<WaitingEvent>, { ahead, now }: OutboxRead) {
  if (events.every(({ id }) => ahead.has(id))) {
    const [first] = events
    const endpoints = first === undefined ? [] : (ahead.get(first.id)?.endpoints ?? [])
    const receivers: Receivers = { endpoints, legacy: new Map(), listeners: [], readAt: now }
    return receivers
  }
  const readAt = yield* Timestamp.now
  const [endpointStore, legacyStore, listenerStore] = [yield* EndpointStore, yield* LegacyStore, yield* ListenerStore]
  const [endpoints, legacy, listeners] = yield* Effect.all(
    [endpointStore.list(appId), legacyStore.receivers(events), listenerStore.live(appId, now)],
    { concurrency: "unbounded" }
  )
  const found: Receivers = { endpoints, legacy, listeners, readAt }
  return found
})

/**
 * Fans out the events of one app. After a failure, the app's events are postponed, except for those that `firsts` has
 * begun to send. This effect must not fail except when it is interrupted. Otherwise `fanOut` would stop and lose the
 * legacy deliveries of other apps, whose events are marked as fanned out already.
 */
const insertRows = (events: Array.NonEmptyReadonlyArray<WaitingEvent>, read: OutboxRead) => {
  const { firsts, isBacklog, now, onRows } = read
  let left: ReadonlyArray<WaitingEvent> = events
  return Effect.gen(function* () {
    const appId = events[0].appId
    const open = events.filter(({ wasSuspended }) => wasSuspended !== true)
    const receivers = yield* receiversOf(appId, open, read)
    const { endpoints, listeners } = receivers
    const attempts = yield* attemptsOf(open, receivers, read)
    const legacy = open.flatMap((event) =>
      (receivers.legacy.get(event.id) ?? []).map((receiver) => LegacyDelivery.begin(event, receiver))
    )
    const withReceiver = new Set([...attempts.keys(), ...legacy.map(({ envelope }) => envelope.eventId)])
    const ownAddress = new Set(open.filter(({ id }) => hasOwnAddress(receivers, id)).map(({ id }) => id))
    const offers = offersOf({ appId, events: open, endpoints, listeners, ownAddress, withReceiver })
    const withListener = new Set(offers.map(({ envelope }) => envelope.eventId))
    const goesElsewhere = (id: EventId) => withListener.has(id) || (receivers.legacy.get(id) ?? []).length > 0
    let begun = 0
    for (const event of open) {
      const own = attempts.get(event.id)
      if (own === undefined || goesElsewhere(event.id) || !(yield* firsts.launch(event, own, isBacklog))) continue
      left = left.filter((one) => one !== event)
      begun += own.length
    }
    const rows = left.flatMap(({ id }) => (attempts.get(id) ?? []).map(({ row }) => row))
    const log = yield* AccessLogStore
    const toNobody = left
      .filter(({ id }) => !withReceiver.has(id) && !withListener.has(id))
      .flatMap((event) => (event.wasSuspended ? Disclosure.duringSuspension(event) : Disclosure.toNobody(event)) ?? [])
    yield* Effect.forEach(toNobody, log.record, { concurrency: "unbounded", discard: true })
    if (rows.length > 0) yield* Effect.zipRight((yield* DeliveryStore).insert(rows), onRows)
    yield* offer(offers)
    // An event that is not marked is fanned out again, and a listener may get it twice. So the worker tries several
    // times to mark the event.
    if (left.length > 0) yield* retryTransient(REPEATS)((yield* EventStore).markFannedOut(left, now))
    yield* reportFirings(left.filter((event) => open.includes(event)))
    return { rows: rows.length, begun, legacy, offered: offers.length, stillDue: 0 }
  }).pipe(
    unlessInterrupted((cause) =>
      Effect.gen(function* () {
        yield* Effect.logWarning("Fan-out of an app's events failed", events[0].appId, cause)
        yield* (yield* EventStore).postpone(left, Timestamp.plus(now, FAILED_WAIT))
        return NOTHING_WRITTEN
      })
    ),
    // When the events cannot be postponed either, they stay due, and a later fan-out reads them again.
    unlessInterrupted((cause) =>
      Effect.as(Effect.logWarning("An app's events could not be postponed", events[0].appId, cause), {
        ...NOTHING_WRITTEN,
        stillDue: left.length
      })
    )
  )
}

/** Handles a failure or a defect, but no interruption: an interruption means that the worker stops. */
const unlessInterrupted = <E, B, E2, R2>(handle: (cause: Cause.Cause<E>) => Effect.Effect<B, E2, R2>) =>
  Effect.catchAllCause((cause: Cause.Cause<E>) => (Cause.isInterruptedOnly(cause) ? Effect.interrupt : handle(cause)))

const NOTHING_WRITTEN = { rows: 0, begun: 0, legacy: [], offered: 0, stillDue: 0 }

const hasOwnAddress = ({ legacy }: Receivers, id: EventId): boolean =>
  legacy.get(id)?.some(({ _tag }) => _tag === "Rule") === true

/**
 * The deliveries of each event to the endpoints that get it (`WebhookEndpoint.wants`). An event of an imported rule has
 * no such delivery, even if an endpoint has the address of the rule: the event goes to this address as a legacy
 * delivery (decision legacy-3).
 */
const attemptsOf = (events: ReadonlyArray<WaitingEvent>, receivers: Receivers, { ahead, now }: OutboxRead) =>
  Effect.gen(function* () {
    const entropy = yield* Entropy.Entropy
    const until = Timestamp.plus(receivers.readAt, Delivery.LEASE)
    const attempts = new Map<EventId, ReadonlyArray<FirstAttempt>>()
    for (const event of events) {
      if (hasOwnAddress(receivers, event.id)) continue
      const wanting = receivers.endpoints.filter((endpoint) => WebhookEndpoint.wants(endpoint, event))
      if (wanting.length === 0) continue
      const authorisation = ahead.get(event.id)?.authorisation
      const early = authorisation === undefined ? null : { authorisation, readAt: now }
      const isOnly = wanting.length === 1
      const own: Array<FirstAttempt> = []
      for (const endpoint of wanting)
        own.push({ row: yield* newDelivery(entropy, event, endpoint), endpoint, until, ahead: early, isOnly })
      attempts.set(event.id, own)
    }
    return attempts
  })

/**
 * A new delivery of the event to the endpoint. Its times are those of the event and not of the clock, so a repeated
 * fan-out makes the same access log entry.
 */
const newDelivery = (
  entropy: typeof Entropy.Entropy.Service,
  event: WaitingEvent,
  endpoint: WebhookEndpoint.WebhookEndpoint
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
    createdAt: event.storedAt,
    originalAt: event.storedAt
  }))
