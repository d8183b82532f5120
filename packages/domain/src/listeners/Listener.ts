import { wants as endpointWants, type WebhookEndpoint } from "../endpoints/WebhookEndpoint.js"
import { type Envelope, type OutboxEvent, type Subscribable, subscription } from "../events/Event.js"
import { type AppId, EndpointId, type ListenerId, type UserId } from "../shared/Ids.js"
import { plus, SECOND, type Timestamp } from "../shared/Timestamp.js"

/**
 * A developer's machine that is told an app's events over a stream, without a public address. It lives as long as the stream:
 * nothing is kept for it afterwards, nothing is tried twice, and it counts for no endpoint.
 */
export interface Listener {
  readonly appId: AppId
  readonly id: ListenerId
  /** It is told what this endpoint is sent, signed as it is there; null: it is a receiver of its own. */
  readonly endpointId: EndpointId | null
  /** Of one of its own. Empty: every event. */
  readonly events: ReadonlyArray<Subscribable>
  readonly createdAt: Timestamp
  /** Exclusive: whoever holds the stream says again and again that it is there. */
  readonly seenUntil: Timestamp
}

export const MAX_PER_APP = 5
/** Events that wait for one listener; the oldest give way. */
export const MAX_WAITING = 200
/** How often the stream says that it is alive, and whoever listens is looked at again. */
export const HEARTBEAT = 15 * SECOND
/** A listener that nobody speaks for is gone after so long: its server died. */
export const LIFETIME = 3 * HEARTBEAT

/** Until when a listener that is heard of now counts as there. */
export const seenAt = (now: Timestamp): Timestamp => plus(now, LIFETIME)

/** The endpoint_id in what it is sent: the endpoint's, or an id of its own. */
export const receiverId = ({ endpointId, id }: Pick<Listener, "endpointId" | "id">): EndpointId =>
  endpointId ?? EndpointId.make(id)

/** What fan-out knows of an event. */
export interface Fired {
  readonly event: Pick<OutboxEvent, "payload" | "webhookUrl">
  /** The rule is from before apps had endpoints and has an address of its own (Spec §6.4.9). */
  readonly hasOwnAddress: boolean
}

/**
 * With an endpoint: what becomes a delivery there, also while it is disabled, for that is when one wants to look. Without: every
 * event that it subscribes to, wherever else it goes.
 */
export const wants = (
  listener: Pick<Listener, "endpointId" | "events">,
  endpoints: ReadonlyArray<WebhookEndpoint>,
  { event, hasOwnAddress }: Fired
): boolean => {
  if (listener.endpointId !== null) {
    const endpoint = endpoints.find(({ id }) => id === listener.endpointId)
    return endpoint !== undefined && !hasOwnAddress && endpointWants({ ...endpoint, disabledAt: null }, event)
  }
  const name = subscription(event.payload)
  return name !== undefined && (listener.events.length === 0 || listener.events.includes(name))
}

/** One event on its way to one listener. */
export interface Waiting {
  readonly appId: AppId
  readonly listenerId: ListenerId
  readonly userId: UserId
  readonly envelope: Envelope
  readonly maxEventAgeS: number | null
  /** That of the event's deliveries, so that they share one entry of the access log. */
  readonly createdAt: Timestamp
  /** Among those of the same moment. */
  readonly position: number
  /** Somebody else is told, or was: the user's access log has the event without this listener. */
  readonly isTold: boolean
}

/** Why a stream ends that the other side did not close. */
export type End =
  /** The session is over, or it is somebody else's. */
  | "signed_out"
  /** The app was revoked or is gone. */
  | "app_gone"
  | "endpoint_gone"
  /** Nobody spoke for it in time. */
  | "expired"
  /** The server is told to stop; another one may be there. */
  | "stopping"
  /** A fault of our own. */
  | "unavailable"

/** What goes over the stream. */
export type Message =
  | { readonly _tag: "Ready"; readonly listener: Listener; readonly secret: string | null }
  | {
      readonly _tag: "Event"
      readonly headers: ReadonlyArray<readonly [string, string]>
      readonly body: string
    }
  /** So many events were not sent, because more waited than are kept. */
  | { readonly _tag: "Dropped"; readonly count: number }
  | { readonly _tag: "Beat" }
  | { readonly _tag: "End"; readonly reason: End }
