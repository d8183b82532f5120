// A listener and its events. Decisions listeners-1, listeners-2 and listeners-3.
import { Order } from "effect"
import * as AccountLimits from "../quotas/AccountLimits.js"
import { wants as endpointWants, type WebhookEndpoint } from "../endpoints/WebhookEndpoint.js"
import { type Envelope, type OutboxEvent, type Subscribable, subscription } from "../events/Event.js"
import { type AppId, EndpointId, type ListenerId, type UserId } from "../shared/Ids.js"
import { plus, SECOND, type Timestamp } from "../shared/Timestamp.js"

/**
 * A listener: a developer's machine that reads events from one open HTTP stream. An event that was not sent before the
 * end of the stream is lost for this listener.
 */
export interface Listener {
  readonly appId: AppId
  readonly id: ListenerId
  /**
   * The endpoint whose events the listener gets, signed as for the endpoint. Null: the listener has a separate
   * subscription (`events`) and a separate secret.
   */
  readonly endpointId: EndpointId | null
  /** The kinds of events that a listener without an endpoint gets. Empty: events of all kinds. */
  readonly events: ReadonlyArray<Subscribable>
  readonly createdAt: Timestamp
  /**
   * The time until which the listener counts as present, exclusive. The server moves this time forward while the stream
   * is open.
   */
  readonly seenUntil: Timestamp
}

export const MAX_PER_APP = AccountLimits.LISTENERS.most
/** The maximum number of events that wait for one listener. When more arrive, the oldest are dropped. */
export const MAX_WAITING = 200
/**
 * The time between two heartbeats of the stream, in milliseconds. At each heartbeat, and before it sends events, the
 * server checks that the session, the account's role, the app and the endpoint still allow the stream.
 */
export const HEARTBEAT = 15 * SECOND
/**
 * How long a listener counts as present after a heartbeat, in milliseconds. After this time, the server that holds the
 * listener's stream has probably died.
 */
export const LIFETIME = 3 * HEARTBEAT

/** The time until which a listener that is renewed at `now` counts as present. */
export const seenAt = (now: Timestamp): Timestamp => plus(now, LIFETIME)

/** The `endpoint_id` in the listener's events: the id of its endpoint, or of the listener when it has no endpoint. */
export const receiverId = ({ endpointId, id }: Pick<Listener, "endpointId" | "id">): EndpointId =>
  endpointId ?? EndpointId.make(id)

/** An event that a worker is fanning out. */
export interface FiredMessage {
  readonly event: Pick<OutboxEvent, "payload" | "webhookUrl">
  /**
   * Whether the event goes to the address of its rule and to no endpoint. Only a rule that was imported from the time
   * before apps had endpoints has such an address (Spec §6.4.9).
   */
  readonly hasOwnAddress: boolean
}

/**
 * Whether the listener gets the event. A listener with an endpoint gets every event that would become a delivery to
 * this endpoint. It gets the events also while the endpoint is disabled, because the developer who repairs the receiver
 * needs to see them. A listener without an endpoint gets every subscribed event, whether or not other receivers get it.
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

/** One event that waits for one listener. */
export interface ListenerDelivery {
  readonly appId: AppId
  readonly listenerId: ListenerId
  readonly userId: UserId
  readonly envelope: Envelope
  readonly maxEventAgeS: number | null
  /**
   * The creation time of the event's deliveries to endpoints. Listeners use the same time, so that all receivers of the
   * event share one entry of the access log.
   */
  readonly createdAt: Timestamp
  /**
   * The index of this event among the events of one fan-out that the listener gets. Events with the same `createdAt`
   * may come from two fan-outs and have the same index. Then the ids of the events decide the order (`oldestFirst`).
   */
  readonly position: number
  /**
   * Whether another receiver gets or got the event. If so, and this listener misses the event, the access log needs no
   * entry about a lost event.
   */
  readonly hasReceiver: boolean
}

/**
 * The order in which a listener gets its events. No two events are equal in it, so every store gives the same order.
 */
export const oldestFirst: Order.Order<ListenerDelivery> = (a, b) =>
  Order.number(a.createdAt, b.createdAt) ||
  Order.number(a.position, b.position) ||
  Order.string(a.envelope.eventId, b.envelope.eventId)

/** Why the server ends a stream. */
export type ListenerEnd =
  /** the session ended, or its cookie belongs to another account */
  | "signed_out"
  /** the app was revoked or deleted, or the account may no longer develop it */
  | "app_gone"
  | "endpoint_gone"
  /** the listener was not renewed in time */
  | "expired"
  /** the server is stopping; another server may be running */
  | "stopping"
  /** a fault of the service */
  | "unavailable"

/** A message on the stream. */
export type ListenerMessage =
  | { readonly _tag: "Ready"; readonly listener: Listener; readonly secret: string | null }
  | {
      readonly _tag: "Event"
      readonly headers: ReadonlyArray<readonly [string, string]>
      readonly body: string
    }
  /** `count` is how many events were dropped because more than `MAX_WAITING` waited */
  | { readonly _tag: "Dropped"; readonly count: number }
  | { readonly _tag: "Beat" }
  | { readonly _tag: "End"; readonly reason: ListenerEnd }
