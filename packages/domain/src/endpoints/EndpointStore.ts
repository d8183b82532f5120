import { Context, type Effect, type Option } from "effect"
import type { AppId, EndpointId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { StrikeWarning } from "./StrikeWarning.js"
import type { WebhookEndpoint } from "./WebhookEndpoint.js"

/** Webhook endpoints, with their sealed secrets and strike counters. */
export class EndpointStore extends Context.Tag("@place-access/domain/endpoints/EndpointStore")<
  EndpointStore,
  {
    /**
     * Counts and stores under one lock of the app. False when the app has `WebhookEndpoint.MAX_PER_APP` already.
     */
    readonly create: (endpoint: WebhookEndpoint) => Effect.Effect<boolean, StoreError>
    /** None when the app has no such endpoint. */
    readonly find: (appId: AppId, id: EndpointId) => Effect.Effect<Option.Option<WebhookEndpoint>, StoreError>
    /** Oldest first. */
    readonly list: (appId: AppId) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StoreError>
    /**
     * Locks the endpoint, reads the clock and stores what `change` makes of it. `change` is a plain function that leaves
     * the keys as they are. None when there is no such endpoint.
     */
    readonly update: (
      appId: AppId,
      id: EndpointId,
      change: (before: WebhookEndpoint, now: Timestamp) => WebhookEndpoint
    ) => Effect.Effect<Option.Option<WebhookEndpoint>, StoreError>
    /** Its waiting deliveries end as failed; the log keeps its rows. False when there is no such endpoint. */
    readonly remove: (appId: AppId, id: EndpointId) => Effect.Effect<boolean, StoreError>
    /**
     * Warnings that `DeliveryStore.finish` left and nobody has forgotten, of all apps, in the order of app and delivery: at most
     * `limit` after the given one.
     */
    readonly listWarnings: (
      limit: number,
      after: StrikeWarning | undefined
    ) => Effect.Effect<ReadonlyArray<StrikeWarning>, StoreError>
    /** Repeating it changes nothing. */
    readonly forgetWarning: (warning: StrikeWarning) => Effect.Effect<void, StoreError>
  }
>() {}
