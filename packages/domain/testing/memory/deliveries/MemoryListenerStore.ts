import { Array, Effect, Layer, Option, Order } from "effect"
import {
  type Listener,
  type ListenerDelivery,
  MAX_PER_APP,
  MAX_WAITING,
  oldestFirst
} from "../../../src/listeners/Listener.js"
import { ListenerStore } from "../../../src/listeners/ListenerStore.js"
import type { AppId, ListenerId } from "../../../src/shared/Ids.js"
import type { Timestamp } from "../../../src/shared/Timestamp.js"
import { MemoryDatabase, type Tables } from "../MemoryDatabase.js"

export const layer: Layer.Layer<ListenerStore, never, MemoryDatabase> = Layer.effect(
  ListenerStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { listenerEvents, listeners } = tables
    return ListenerStore.of({
      open: (listener) =>
        Effect.sync(() => {
          if (liveOf(tables, listener.appId, listener.createdAt).length >= MAX_PER_APP) return false
          listeners.set(listener.id, { ...listener, dropped: 0 })
          return true
        }),
      live: (appId, now) => Effect.sync(() => liveOf(tables, appId, now).map(toListener)),
      renew: (appId, id, now, seenUntil) =>
        Effect.sync(() => {
          const listener = liveOf(tables, appId, now).find((one) => one.id === id)
          if (listener === undefined) return false
          listeners.set(id, { ...listener, seenUntil })
          return true
        }),
      offer: (rows) => Effect.sync(() => lostOf(tables, store(tables, rows))),
      waiting: (appId, id, limit) =>
        Effect.sync(() =>
          Option.map(find(tables, appId, id), ({ dropped }) => ({
            events: waitingOf(tables, id).slice(0, limit),
            dropped
          }))
        ),
      take: (appId, id, events, dropped) =>
        Effect.sync(() => {
          const taken = waitingOf(tables, id).filter(
            (one) => one.appId === appId && events.includes(one.envelope.eventId)
          )
          const ids = new Set(taken.map(({ envelope }) => envelope.eventId))
          for (const one of taken) listenerEvents.delete(keyOf(one))
          for (const [key, one] of listenerEvents) {
            if (one.appId === appId && ids.has(one.envelope.eventId))
              listenerEvents.set(key, { ...one, hasReceiver: true })
          }
          const listener = Option.getOrUndefined(find(tables, appId, id))
          if (listener !== undefined) listeners.set(id, { ...listener, dropped: listener.dropped - dropped })
          return ids
        }),
      close: (appId, id) => Effect.sync(() => close(tables, { appId, id })),
      expired: (now, limit) =>
        Effect.sync(() =>
          [...listeners.values()]
            .filter(({ seenUntil }) => seenUntil <= now)
            .sort((a, b) => a.seenUntil - b.seenUntil || byId(a, b))
            .slice(0, limit)
            .map(({ appId, id }) => ({ appId, id }))
        )
    })
  })
)

const toListener = ({ appId, createdAt, endpointId, events, id, seenUntil }: Listener): Listener => ({
  appId,
  id,
  endpointId,
  events,
  createdAt,
  seenUntil
})

const keyOf = ({ envelope, listenerId }: ListenerDelivery): string => `${listenerId} ${envelope.eventId}`

const find = ({ listeners }: Tables, appId: AppId, id: ListenerId) =>
  Option.filter(Option.fromNullable(listeners.get(id)), (listener) => listener.appId === appId)

/** The listeners of an app that are live at `now`, oldest first. */
export const liveOf = ({ listeners }: Tables, appId: AppId, now: Timestamp) =>
  [...listeners.values()]
    .filter((one) => one.appId === appId && one.seenUntil > now)
    .sort((a, b) => a.createdAt - b.createdAt || byId(a, b))

const byId = Order.mapInput(Order.string, ({ id }: Pick<Listener, "id">) => id)

const waitingOf = ({ listenerEvents }: Tables, id: ListenerId): ReadonlyArray<ListenerDelivery> =>
  [...listenerEvents.values()].filter(({ listenerId }) => listenerId === id).sort(oldestFirst)

/**
 * Stores events for listeners. Returns the events that the store does not keep: events whose listener does not exist,
 * and the oldest events of a listener for which more than `MAX_WAITING` events wait.
 */
const store = (tables: Tables, rows: ReadonlyArray<ListenerDelivery>): ReadonlyArray<ListenerDelivery> => {
  const { listenerEvents, listeners } = tables
  const [gone, here] = Array.partition(rows, ({ appId, listenerId }) => Option.isSome(find(tables, appId, listenerId)))
  for (const row of here) if (!listenerEvents.has(keyOf(row))) listenerEvents.set(keyOf(row), row)
  const dropped = [...new Set(here.map(({ listenerId }) => listenerId))].flatMap((id) => {
    const over = waitingOf(tables, id).slice(0, -MAX_WAITING)
    const listener = listeners.get(id)
    if (listener !== undefined) listeners.set(id, { ...listener, dropped: listener.dropped + over.length })
    return over
  })
  for (const row of dropped) listenerEvents.delete(keyOf(row))
  return [...gone, ...dropped]
}

/**
 * The events of `gone` that are lost, oldest first. An event is not lost when another receiver gets or got it
 * (`hasReceiver`), or when it waits for another listener of the app.
 */
const lostOf = ({ listenerEvents }: Tables, gone: ReadonlyArray<ListenerDelivery>): ReadonlyArray<ListenerDelivery> => {
  const waiting = [...listenerEvents.values()]
  const isLost = (one: ListenerDelivery) =>
    !one.hasReceiver &&
    !waiting.some(({ appId, envelope }) => appId === one.appId && envelope.eventId === one.envelope.eventId)
  return gone.filter(isLost).sort(oldestFirst)
}

/** Removes the listener. Returns the events that waited for this listener and are lost (`lostOf`). */
const close = (tables: Tables, { appId, id }: Pick<Listener, "appId" | "id">): ReadonlyArray<ListenerDelivery> => {
  if (Option.isNone(find(tables, appId, id))) return []
  tables.listeners.delete(id)
  const waiting = waitingOf(tables, id)
  for (const one of waiting) tables.listenerEvents.delete(keyOf(one))
  return lostOf(tables, waiting)
}
