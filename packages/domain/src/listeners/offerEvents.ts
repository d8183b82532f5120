import { Effect } from "effect"
import type { WebhookEndpoint } from "../endpoints/WebhookEndpoint.js"
import { envelope, type OutboxEvent } from "../events/Event.js"
import type { AppId, EventId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { recordLost } from "./closeListener.js"
import { type Waiting, wants } from "./Listener.js"
import { ListenerStore } from "./ListenerStore.js"

export interface FannedOut {
  readonly appId: AppId
  readonly events: ReadonlyArray<OutboxEvent>
  readonly endpoints: ReadonlyArray<WebhookEndpoint>
  /** Those that go to an address of their rule's own. */
  readonly ownAddress: ReadonlySet<EventId>
  /** Those that somebody else is told. */
  readonly told: ReadonlySet<EventId>
}

/** What each listener of the app wants of its events. */
export const offersOf = Effect.fn("offersOf")(function* (fannedOut: FannedOut, now: Timestamp) {
  const { appId, endpoints, events, ownAddress, told } = fannedOut
  const listeners = yield* (yield* ListenerStore).live(appId, now)
  return listeners.flatMap((listener) =>
    events
      .filter((event) => wants(listener, endpoints, { event, hasOwnAddress: ownAddress.has(event.id) }))
      .map((event, position): Waiting => ({
        appId,
        listenerId: listener.id,
        userId: event.userId,
        envelope: envelope(event),
        maxEventAgeS: event.maxEventAgeS,
        createdAt: now,
        position,
        isTold: told.has(event.id)
      }))
  )
})

/** Puts them where the streams find them; of what nobody will be told now the users read. */
export const offer = Effect.fn("offer")(function* (rows: ReadonlyArray<Waiting>) {
  if (rows.length > 0) yield* recordLost(yield* (yield* ListenerStore).offer(rows))
})
