// A webhook endpoint, its strikes and its subscriptions. Decisions endpoints-3, endpoints-4 and endpoints-6.
import { type OutboxEvent, type Subscribable, subscription } from "../events/Event.js"
import * as AccountLimits from "../quotas/AccountLimits.js"
import { brand } from "../shared/Errors.js"
import { type AppId, type EndpointId, Text, type Timestamp } from "../shared/index.js"
import type { EndpointHeader } from "./EndpointHeader.js"
import type { EndpointUrl } from "./EndpointUrl.js"
import type { SigningSecret } from "./SigningSecret.js"

/** One line of 1 to 200 characters, which the developer writes for the app's developers. Users do not see it. */
export const EndpointDescription = Text.line(1, 200).pipe(brand("EndpointDescription"))
export type EndpointDescription = typeof EndpointDescription.Type

/** A webhook endpoint of an app (Spec §2.7). */
export interface WebhookEndpoint {
  readonly appId: AppId
  readonly id: EndpointId
  readonly url: EndpointUrl
  /** The events that the endpoint subscribes to. Empty: every event, including events of types that are added later. */
  readonly events: ReadonlyArray<Subscribable>
  readonly description: EndpointDescription | null
  readonly disabledAt: Timestamp.Timestamp | null
  /**
   * Grows by 1 each time the endpoint is disabled. A delivery belongs to the epoch in which it was made, and no worker
   * claims it in a later epoch.
   */
  readonly epoch: number
  /** The number of events in a row whose deliveries used up all attempts (Spec §6.4.7). */
  readonly strikes: number
  /** The signing secrets, newest first. */
  readonly secrets: ReadonlyArray<SigningSecret>
  /** The headers that the developer added to each webhook, in the order of their names. */
  readonly headers: ReadonlyArray<EndpointHeader>
  readonly createdAt: Timestamp.Timestamp
}

export const MAX_PER_APP = AccountLimits.ENDPOINTS.most
/**
 * An endpoint with this many strikes is disabled (Spec §3.4). A delivery that succeeds sets the strikes to 0, unless it
 * is a replay or a test, or it succeeded in an attempt that a developer asked for before it was due (*Retry now*).
 */
export const MAX_STRIKES = 20
/** The app's owners and developers get a mail at each of these numbers of strikes. */
export const WARNED_STRIKES: ReadonlyArray<number> = [10, MAX_STRIKES]

/** A disabled endpoint gets no events, and its waiting deliveries fail. */
export const isEnabled = (endpoint: WebhookEndpoint): boolean => endpoint.disabledAt === null

/** Whether the newest secret is the one with which the endpoint was created. */
export const hasFirstSecret = ({ createdAt, secrets }: WebhookEndpoint): boolean => secrets[0]?.createdAt === createdAt

/** Whether the endpoint subscribes to the event. An empty list subscribes to every event (Spec §2.7). */
export const subscribes = (endpoint: WebhookEndpoint, event: Subscribable): boolean =>
  endpoint.events.length === 0 || endpoint.events.includes(event)

/**
 * Whether an event becomes a delivery to this endpoint (Spec §4.6.7). When the event's rule names an address, only
 * endpoints with exactly this address get the event, whatever they subscribe to. Other events go to every endpoint that
 * subscribes to them. Disabled endpoints get nothing.
 */
export const wants = (endpoint: WebhookEndpoint, event: Pick<OutboxEvent, "payload" | "webhookUrl">): boolean => {
  if (!isEnabled(endpoint)) return false
  if (event.webhookUrl !== null) return endpoint.url === event.webhookUrl
  const name = subscription(event.payload)
  return name !== undefined && subscribes(endpoint, name)
}

/**
 * Adds a strike for a delivery that has no attempts left. The strike that reaches `MAX_STRIKES` disables the endpoint
 * (Spec §3.4, decision W4).
 */
export const strike = (endpoint: WebhookEndpoint, now: Timestamp.Timestamp): WebhookEndpoint => {
  const strikes = endpoint.strikes + 1
  return strikes < MAX_STRIKES
    ? { ...endpoint, strikes }
    : { ...endpoint, strikes, disabledAt: now, epoch: endpoint.epoch + 1 }
}

/**
 * Enables the endpoint and sets its strikes to 0. An endpoint that is enabled already stays as it is, with its strikes
 * (decision W4).
 */
export const enable = (endpoint: WebhookEndpoint): WebhookEndpoint =>
  endpoint.disabledAt === null ? endpoint : { ...endpoint, disabledAt: null, strikes: 0 }
