import { Effect } from "effect"
import type { WebhookEndpoint } from "../endpoints/WebhookEndpoint.js"
import { envelope, type OutboxEvent } from "../events/Event.js"
import type { AppId, EventId } from "../shared/Ids.js"
import * as Telemetry from "../shared/Telemetry.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { recordLost } from "./closeListener.js"
import { type Listener, type Waiting, wants } from "./Listener.js"
import { ListenerStore } from "./ListenerStore.js"

export interface FannedOut {
  readonly appId: AppId
  readonly events: ReadonlyArray<OutboxEvent>
  readonly endpoints: ReadonlyArray<WebhookEndpoint>
  /** The app's, who are there. */
  readonly listeners: ReadonlyArray<Listener>
  /** Those that go to an address of their rule's own. */
  readonly ownAddress: ReadonlySet<EventId>
  /** Those that somebody else is told. */
  readonly told: ReadonlySet<EventId>
}

/** What each listener of the app wants of its events. */
export const offersOf = (
  { appId, endpoints, events, listeners, ownAddress, told }: FannedOut,
  now: Timestamp
): ReadonlyArray<Waiting> =>
  listeners.flatMap((listener) =>
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

/** Puts them where the streams find them; of what nobody will be told now the users read. */
export const offer = Effect.fnUntraced(function* (rows: ReadonlyArray<Waiting>) {
  if (rows.length > 0) yield* recordLost(yield* (yield* ListenerStore).offer(rows))
}, Telemetry.span("offer"))
