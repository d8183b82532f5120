// A listener and its events. Decisions listeners-1, listeners-2 and listeners-3.
import { Order } from "effect"
import * as AccountLimits from "../quotas/AccountLimits.js"
import { wants as endpointWants, type WebhookEndpoint } from "../endpoints/WebhookEndpoint.js"
import { type Envelope, type OutboxEvent, type Subscribable, subscription } from "../events/Event.js"
import { type AppId, EndpointId, type ListenerId, type UserId } from "../shared/Ids.js"
import { plus, SECOND, type Timestamp } from "../shared/Timestamp.js"

/** A developer's machine with one open HTTP stream of events. When the stream ends, no event is sent again later. */
export interface Listener {
  readonly appId: AppId
  readonly id: ListenerId
  /** The endpoint whose events and signatures the listener gets. Null: the listener has its own `events` and secret. */
  readonly endpointId: EndpointId | null
  /** The subscription of a listener without an endpoint. Empty: every event. */
  readonly events: ReadonlyArray<Subscribable>
  readonly createdAt: Timestamp
  /** Until when the listener counts as present, exclusive. The server moves this forward while the stream is open. */
  readonly seenUntil: Timestamp
}

export const MAX_PER_APP = AccountLimits.LISTENERS.most
/** The most events that wait for one listener. Beyond this number the oldest events are dropped. */
export const MAX_WAITING = 200
/** How often the stream sends a heartbeat, and checks its session and app again. */
export const HEARTBEAT = 15 * SECOND
/** A listener that was not renewed for this long counts as gone: its server died. */
export const LIFETIME = 3 * HEARTBEAT

/** Until when a listener that is renewed now counts as present. */
export const seenAt = (now: Timestamp): Timestamp => plus(now, LIFETIME)

/** The `endpoint_id` in the listener's events: the endpoint's id, or else the listener's own. */
export const receiverId = ({ endpointId, id }: Pick<Listener, "endpointId" | "id">): EndpointId =>
  endpointId ?? EndpointId.make(id)

/** An event that is being fanned out. */
export interface FiredMessage {
  readonly event: Pick<OutboxEvent, "payload" | "webhookUrl">
  /** Whether the event's rule is from before apps had endpoints, with an address of its own (Spec §6.4.9). */
  readonly hasOwnAddress: boolean
}

/**
 * Whether the listener gets the event. With an endpoint: every event that would become a delivery there, also while the
 * endpoint is disabled, because the developer who repairs the receiver needs to see the events. Without an endpoint:
 * every subscribed event, also an event that other receivers get.
 */
export const wants = (
  listener: Pick<Listener, "endpointId" | "events">,
  endpoints: ReadonlyArray<WebhookEndpoint>,
  { event, hasOwnAddress }: FiredMessage
): boolean => {
  if (listener.endpointId !== null) {
    const endpoint = endpoints.find(({ id }) => id === listener.endpointId)
    return endpoint !== undefined && !hasOwnAddress && endpointWants({ ...endpoint, disabledAt: null }, event)
  }
  const name = subscription(event.payload)
  return name !== undefined && (listener.events.length === 0 || listener.events.includes(name))
}

/** One event on its way to one listener. */
export interface ListenerDelivery {
  readonly appId: AppId
  readonly listenerId: ListenerId
  readonly userId: UserId
  readonly envelope: Envelope
  readonly maxEventAgeS: number | null
  /**
   * The creation time of the event's deliveries. Listeners use the same time, so that all receivers of the event share
   * one entry of the access log.
   */
  readonly createdAt: Timestamp
  /**
   * The order of this event within its fan-out. Two fan-outs of one instant may use the same positions: then the ids of
   * the events decide (`oldestFirst`).
   */
  readonly position: number
  /**
   * Another receiver gets or got the event. So the access log needs no entry about a lost event when this listener
   * misses it.
   */
  readonly isTold: boolean
}

/** The order in which a listener gets its events. It is complete, so that every store gives the same order. */
export const oldestFirst: Order.Order<ListenerDelivery> = (a, b) =>
  Order.number(a.createdAt, b.createdAt) ||
  Order.number(a.position, b.position) ||
  Order.string(a.envelope.eventId, b.envelope.eventId)

/** Why the server ends a stream. */
export type ListenerEnd =
  /** the session ended, or belongs to another account */
  | "signed_out"
  /** the app was revoked or deleted, or the account may no longer develop it */
  | "app_gone"
  | "endpoint_gone"
  /** the listener was not renewed in time */
  | "expired"
  /** the server is stopping; another server may be running */
  | "stopping"
  /** a fault of our own */
  | "unavailable"

/** A message on the stream. */
export type ListenerMessage =
  | { readonly _tag: "Ready"; readonly listener: Listener; readonly secret: string | null }
  | {
      readonly _tag: "Event"
      readonly headers: ReadonlyArray<readonly [string, string]>
      readonly body: string
    }
  /** `count`: how many events were dropped because more than `MAX_WAITING` waited. */
  | { readonly _tag: "Dropped"; readonly count: number }
  | { readonly _tag: "Beat" }
  | { readonly _tag: "End"; readonly reason: ListenerEnd }
