import { Effect, Option } from "effect"
import { EventStore, type PendingEvents, READ_AHEAD_MAX } from "../../../src/deliveries/EventStore.js"
import { DeliveryStore } from "../../../src/deliveries/DeliveryStore.js"
import { EndpointStore } from "../../../src/endpoints/EndpointStore.js"
import type { WebhookEndpoint } from "../../../src/endpoints/WebhookEndpoint.js"
import type { Connection } from "../../../src/connection/Connection.js"
import { EndpointUrl } from "../../../src/endpoints/EndpointUrl.js"
import { envelope, type OutboxEvent, ruleIdOf } from "../../../src/events/Event.js"
import * as Bucket from "../../../src/leases/Bucket.js"
import { LegacyStore } from "../../../src/legacy/LegacyStore.js"
import * as Listener from "../../../src/listeners/Listener.js"
import { ListenerStore } from "../../../src/listeners/ListenerStore.js"
import { RuleStore } from "../../../src/rules/RuleStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { ListenerId, SubscriptionId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Sealed } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Uploads from "../fixes/uploadSamples.js"
import { fired, mark, pending } from "./firedEvents.js"
import * as Webhooks from "./webhookFixtures.js"

export type ReadingAheadPorts = Uploads.UploadSamplePorts | EndpointStore | ListenerStore | LegacyStore | DeliveryStore

/** The data that the store reads ahead (`PendingEvents.ahead`) for these events when no other events are due. */
const aheadOf = (events: ReadonlyArray<OutboxEvent>): Effect.Effect<PendingEvents["ahead"], unknown, EventStore> =>
  Effect.gen(function* () {
    const store = yield* EventStore
    const now = yield* Timestamp.now
    const ids = new Set(events.map(({ id }) => id))
    const all = yield* store.pending(Bucket.ALL, 10_000, now)
    const others = all.events.filter(({ id }) => !ids.has(id)).map(({ id }) => id)
    return (yield* store.pending(Bucket.ALL, 10_000, now, others)).ahead
  })

/**
 * Checks for which events the store read ahead (`ReadAhead`). A store on one server must read ahead for all events, a
 * store on a cluster for no event. The data that the store read ahead for an event must equal the present results of
 * `EndpointStore.list` and `EventStore.authorisation`.
 */
const compared = (isOnOneServer: boolean, events: ReadonlyArray<OutboxEvent>, what: string) =>
  Effect.gen(function* () {
    const ahead = yield* aheadOf(events)
    Check.equal(ahead.size, isOnOneServer ? events.length : 0, `${what}: events`)
    for (const event of events) {
      const read = ahead.get(event.id)
      if (read === undefined) continue
      Check.equal(read.endpoints, yield* (yield* EndpointStore).list(event.appId), `${what}: endpoints`)
      const { connectionId, occurredAt, payload, userId } = event
      const found = yield* (yield* EventStore).authorisation(userId, connectionId, ruleIdOf(payload), occurredAt)
      Check.equal(Option.some(read.authorisation), found, `${what}: authorisation`)
    }
  })

/** Opens a listener of the app. The listener counts as live until its first heartbeat would be overdue. */
const listen = (appId: OutboxEvent["appId"]) =>
  Effect.gen(function* () {
    const createdAt = yield* Timestamp.now
    const id = ListenerId.make(yield* Entropy.id("lst"))
    const listener = { appId, id, endpointId: null, events: [], createdAt, seenUntil: Listener.seenAt(createdAt) }
    Check.isTrue(yield* (yield* ListenerStore).open(listener), "opened")
  })

const subscribe = ({ appId, id: connectionId, userId }: Connection) =>
  Effect.gen(function* () {
    const createdAt = yield* Timestamp.now
    const id = SubscriptionId.make(yield* Entropy.id("sbs"))
    const [url, sealed] = [EndpointUrl.make(`https://hooks.example.com/${id}`), Sealed.make(id)]
    const subscription = { userId, id, connectionId, appId, url, sealed, createdAt }
    Check.equal(yield* (yield* LegacyStore).subscribe(subscription), "created", "subscribed")
  })

/**
 * What stores must guarantee about reading ahead: with an event, `EventStore.pending` also returns what the event's
 * first attempt needs (`ReadAhead`), and `DeliveryStore.insertAttempted` also marks the event as fanned out. So a
 * single event needs few statements. A store on one server must do both. A store on a cluster must do neither: the
 * cases then require that `pending` returns no data read ahead, and that `insertAttempted` marks no event.
 */
export const readingAhead = <R>(isOnOneServer: Effect.Effect<boolean, unknown, R>): Contract<ReadingAheadPorts | R> => [
  {
    name: "pending: what is read ahead of an event is what the other methods return, for each event [deliveries-18]",
    run: Effect.gen(function* () {
      const isOne = yield* isOnOneServer
      const one = yield* fired(2)
      const two = yield* fired(1)
      const events = [...one.events, ...two.events]
      yield* compared(isOne, events, "no endpoint")
      const first = yield* Webhooks.endpoint(one.connection.appId)
      yield* Webhooks.endpoint(one.connection.appId)
      yield* Webhooks.endpoint(two.connection.appId)
      yield* compared(isOne, events, "with endpoints")
      const disabled = (before: WebhookEndpoint, disabledAt: Timestamp.Timestamp) => ({
        ...before,
        disabledAt,
        epoch: 1
      })
      yield* (yield* EndpointStore).update(first.appId, first.id, disabled)
      const { connectionId, id, userId } = one.rule
      yield* (yield* RuleStore).remove(userId, connectionId, id, "Place", yield* Timestamp.now)
      yield* compared(isOne, events, "after a rule was removed")
      yield* mark(events)
    })
  },
  {
    name: "pending: nothing is read ahead of an event that a live listener or a legacy receiver gets too",
    run: Effect.gen(function* () {
      const heard = yield* fired(1)
      const older = yield* fired(0)
      yield* listen(heard.connection.appId)
      yield* subscribe(older.connection)
      const toSubscription = yield* Uploads.event(older.rule, { webhookUrl: null })
      const named = yield* Uploads.event(older.rule)
      Check.isTrue(yield* Uploads.commit(older.phone, { events: [toSubscription, named] }), "uploaded")
      const events = [...heard.events, toSubscription, named]
      Check.equal([...(yield* aheadOf(events)).keys()], (yield* isOnOneServer) ? [named.id] : [], "read ahead")
      yield* mark(events)
    })
  },
  {
    name: "pending: on one server, 8 due events are read ahead and 9 are not; on a cluster none is [deliveries-18]",
    run: Effect.gen(function* () {
      const { events } = yield* fired(READ_AHEAD_MAX + 1)
      const sizeOf = (count: number) => Effect.map(aheadOf(events.slice(0, count)), ({ size }) => size)
      const sizes = [yield* sizeOf(READ_AHEAD_MAX), yield* sizeOf(READ_AHEAD_MAX + 1)]
      Check.equal(sizes, [(yield* isOnOneServer) ? READ_AHEAD_MAX : 0, 0], "read ahead")
      yield* mark(events)
    })
  },
  {
    name: "insertAttempted: on one server, the only delivery of an event marks it as fanned out, also when the row is there already [events-1]",
    run: Effect.gen(function* () {
      const isOne = yield* isOnOneServer
      const { connection, events } = yield* fired(3)
      const endpoint = yield* Webhooks.endpoint(connection.appId)
      const store = yield* DeliveryStore
      const at = yield* Timestamp.now
      const end = { _tag: "Delivered", at } as const
      const [only, again, several] = events
      if (only === undefined || again === undefined || several === undefined) return Check.fail("three events")
      const rowOf = (event: OutboxEvent) =>
        Webhooks.draft(endpoint, { envelope: envelope(event), userId: event.userId })
      yield* store.insert([yield* rowOf(again)])
      const inserted = yield* Effect.forEach(
        [
          [only, true],
          [again, true],
          [several, false]
        ] as const,
        ([event, isOnly]) => Effect.flatMap(rowOf(event), (row) => store.insertAttempted(row, end, null, isOnly)),
        { concurrency: "unbounded" }
      )
      const expected = [
        { isStored: true, isFannedOut: isOne },
        { isStored: false, isFannedOut: isOne },
        { isStored: true, isFannedOut: false }
      ]
      Check.equal(inserted, expected, "stored and marked")
      Check.equal(yield* pending(connection.userId), isOne ? [several] : events, "still in the outbox")
      yield* mark(events)
      yield* (yield* EndpointStore).remove(endpoint.appId, endpoint.id)
    })
  }
]
