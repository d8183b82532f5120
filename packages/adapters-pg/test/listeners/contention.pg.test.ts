import { SqlAccountStore, SqlAppStore, SqlListenerStore } from "@place-access/adapters-pg"
import { Listener, ListenerStore } from "@place-access/domain/listeners"
import { type AppId, ConnectionId, Entropy, EventId, ListenerId, Timestamp, UserId } from "@place-access/domain/shared"
import { WebhookFixtures } from "@place-access/domain/testing"
import { Effect, Layer, Random } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlListenerStore.layer)

const open = (appId: AppId) =>
  Effect.gen(function* () {
    const createdAt = yield* Timestamp.now
    const id = ListenerId.make(yield* Entropy.id("lst"))
    const seenUntil = Listener.seenAt(createdAt)
    const listener: Listener.Listener = { appId, id, endpointId: null, events: [], createdAt, seenUntil }
    yield* (yield* ListenerStore).open(listener)
    return listener
  })

/** The rows of one event that waits for each of the listeners. */
const eventFor = (listeners: ReadonlyArray<Listener.Listener>, position: number) =>
  Effect.gen(function* () {
    const createdAt = yield* Timestamp.now
    const eventId = EventId.make(yield* Entropy.id("evt"))
    return listeners.map(({ appId, id }): Listener.ListenerDelivery => ({
      appId,
      listenerId: id,
      userId: UserId.make("usr_1"),
      envelope: {
        eventId,
        appId,
        grantId: ConnectionId.make("con_1"),
        payload: { type: "places.changed", placesVersion: 2 },
        occurredAt: createdAt
      },
      maxEventAgeS: null,
      createdAt,
      position,
      hasReceiver: false
    }))
  })

/** The distinct ids of the events of `rows`. An event may have a row for each of several listeners. */
const idsOf = (rows: ReadonlyArray<Listener.ListenerDelivery>) => [
  ...new Set(rows.map(({ envelope }) => envelope.eventId))
]

describeServers("workers, streams and sweeps at the listeners of one app", (server) => {
  const run = withStores(migratedOn(server), stores)

  it("each event is sent once or counted as lost once while listeners come, take and go; none waits for another without end", () =>
    run(
      Effect.gen(function* () {
        const store = yield* ListenerStore
        for (let trial = 0; trial < 5; trial++) {
          const app = yield* WebhookFixtures.ownedApp
          const listeners = yield* Effect.replicateEffect(open(app.id), 4)
          const events = yield* Effect.forEach(Array.from({ length: 30 }), (_, position) =>
            eventFor(listeners, position)
          )
          const delivered: Array<EventId> = []
          const lost: Array<EventId> = []

          const fanOut = (rows: ReadonlyArray<Listener.ListenerDelivery>) =>
            Effect.map(store.offer(rows), (gone) => void lost.push(...idsOf(gone)))
          const close = ({ appId, id }: Listener.Listener) =>
            Effect.map(store.close(appId, id), (gone) => void lost.push(...idsOf(gone)))
          /**
           * Takes waiting events at most seven times, up to three events each time. Then closes the listener twice at
           * the same time, because a sweep may close a listener whose stream is just ending.
           */
          const stream = (listener: Listener.Listener) =>
            Effect.gen(function* () {
              for (let looks = yield* Random.nextIntBetween(0, 8); looks > 0; looks--) {
                const found = yield* Effect.flatten(store.waiting(app.id, listener.id, 3))
                delivered.push(...(yield* store.take(app.id, listener.id, idsOf(found.events), 0)))
              }
              yield* Effect.all([close(listener), close(listener)], { concurrency: "unbounded" })
            })

          const workers = Effect.forEach(
            [0, 1, 2],
            (worker) =>
              Effect.forEach(
                events.filter((_, index) => index % 3 === worker),
                fanOut
              ),
            { concurrency: "unbounded" }
          )
          yield* Effect.all([workers, ...listeners.map(stream)], { concurrency: "unbounded" })

          const undelivered = idsOf(events.flat()).filter((id) => !delivered.includes(id))
          expect([...lost].sort()).toEqual(undelivered.sort())
        }
      })
    ))
})
