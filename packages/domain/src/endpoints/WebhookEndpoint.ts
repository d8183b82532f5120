import { Schema } from "effect"
import { type OutboxEvent, type Subscribable, subscription } from "../events/Event.js"
import * as Text from "../shared/Text.js"
import type { AppId, EndpointId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { EndpointUrl } from "./EndpointUrl.js"
import type { SigningSecret } from "./SigningSecret.js"

/** For the developer's own eyes. */
export const Description = Text.line(1, 200).pipe(Schema.brand("EndpointDescription"))
export type Description = typeof Description.Type

/** Spec §2.7. */
export interface WebhookEndpoint {
  readonly appId: AppId
  readonly id: EndpointId
  readonly url: EndpointUrl
  /** Empty: every event, types added later included. */
  readonly events: ReadonlyArray<Subscribable>
  readonly description: Description | null
  readonly disabledAt: Timestamp | null
  /** Grows when the endpoint is disabled: what waited then is never sent, even if it is enabled again at once. */
  readonly epoch: number
  /** Events in a row that used up all their attempts (Spec §6.4.7). */
  readonly strikes: number
  /** Newest first. */
  readonly secrets: ReadonlyArray<SigningSecret>
  readonly createdAt: Timestamp
}

export const MAX_PER_APP = 5
/** Spec §3.4: this many in a row disable the endpoint. */
export const MAX_STRIKES = 20
/** Its developer is told by mail when it comes to one of these. */
export const WARNED_STRIKES: ReadonlyArray<number> = [10, MAX_STRIKES]

/** Disabled ones get nothing, and what waits for them has failed. */
export const isEnabled = (endpoint: WebhookEndpoint): boolean => endpoint.disabledAt === null

/** An empty list means every event, those of later versions included (Spec §2.7). */
export const subscribes = (endpoint: WebhookEndpoint, event: Subscribable): boolean =>
  endpoint.events.length === 0 || endpoint.events.includes(event)

/**
 * Whether an event becomes a delivery to this endpoint (Spec §4.6.7): a rule that names an address is answered there,
 * whatever that endpoint subscribes to; other events go to every subscriber. Disabled endpoints get nothing.
 */
export const wants = (endpoint: WebhookEndpoint, event: Pick<OutboxEvent, "payload" | "webhookUrl">): boolean => {
  if (!isEnabled(endpoint)) return false
  if (event.webhookUrl !== null) return endpoint.url === event.webhookUrl
  const name = subscription(event.payload)
  return name !== undefined && subscribes(endpoint, name)
}

/** One more event that used up its attempts; the last one allowed disables (Spec §3.4, decision W4). */
export const strike = (endpoint: WebhookEndpoint, now: Timestamp): WebhookEndpoint => {
  const strikes = endpoint.strikes + 1
  return strikes < MAX_STRIKES
    ? { ...endpoint, strikes }
    : { ...endpoint, strikes, disabledAt: now, epoch: endpoint.epoch + 1 }
}

/** An automatic success forgets the strikes. */
export const clearStrikes = (endpoint: WebhookEndpoint): WebhookEndpoint =>
  endpoint.strikes === 0 ? endpoint : { ...endpoint, strikes: 0 }

/** Enabling forgets the strikes; enabling what is enabled changes nothing (decision W4). */
export const enable = (endpoint: WebhookEndpoint): WebhookEndpoint =>
  endpoint.disabledAt === null ? endpoint : { ...endpoint, disabledAt: null, strikes: 0 }
