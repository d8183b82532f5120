import { Context, type Option } from "effect"
import type { AuditEvent } from "../audit/AuditEvent.js"
import type { AdmitsChange } from "../apps/AppStore.js"
import type { AppId, EndpointId, StoreEffect, Timestamp } from "../shared/index.js"
import type { StrikeWarning } from "./StrikeWarning.js"
import type { WebhookEndpoint } from "./WebhookEndpoint.js"

/**
 * The result of `EndpointStore.create`. `full`: the app already has `WebhookEndpoint.MAX_PER_APP` endpoints.
 * `app_gone`: no app has this id, or the app was revoked because the account of its holder was deleted. `refused`:
 * `admits` returned false.
 */
export type EndpointCreation = "created" | "full" | "app_gone" | "refused"

/** Stores webhook endpoints, with their encrypted secrets and their strikes. Decision endpoints-9. */
export class EndpointStore extends Context.Tag("@place-access/domain/endpoints/EndpointStore")<
  EndpointStore,
  {
    /**
     * Locks the app and stores the endpoint, if the outcome is `created`; the other outcomes store nothing. Because of
     * the lock, no request stores an endpoint after the app ended with its holder's account (decision deletions-2). The
     * same transaction stores the audit event, if given. The store asks `admits`, if given, under this lock.
     */
    readonly create: (
      endpoint: WebhookEndpoint,
      audit?: AuditEvent,
      admits?: AdmitsChange
    ) => StoreEffect<EndpointCreation>
    /** None when the app has no such endpoint. */
    readonly find: (appId: AppId, id: EndpointId) => StoreEffect<Option.Option<WebhookEndpoint>>
    /** The app's endpoints, oldest first. */
    readonly list: (appId: AppId) => StoreEffect<ReadonlyArray<WebhookEndpoint>>
    /**
     * Locks the endpoint and stores `change(endpoint, now)`. The store keeps the ids and `createdAt`, whatever `change`
     * returns. The same transaction stores the audit event `audit(now)`, if there is one; the store calls `audit` after
     * `change`. Returns none, and stores nothing, when the app has no such endpoint, or when `admits`, if given,
     * returns false. To ask `admits`, the store locks the app before the endpoint.
     */
    readonly update: (
      appId: AppId,
      id: EndpointId,
      change: (before: WebhookEndpoint, now: Timestamp.Timestamp) => WebhookEndpoint,
      audit?: (now: Timestamp.Timestamp) => AuditEvent | undefined,
      admits?: AdmitsChange
    ) => StoreEffect<Option.Option<WebhookEndpoint>>
    /**
     * Removes the endpoint. Its waiting deliveries fail, a limited number at once and the others in later claims, and
     * stay in the delivery log. False when the app has no such endpoint.
     */
    readonly remove: (appId: AppId, id: EndpointId) => StoreEffect<boolean>
    /**
     * At most `limit` warnings of all apps, ordered by app id, then delivery id. `after` is the last warning of the
     * page before this one; undefined for the first page. `DeliveryStore.finish` stores the warnings.
     */
    readonly listWarnings: (
      limit: number,
      after: StrikeWarning | undefined
    ) => StoreEffect<ReadonlyArray<StrikeWarning>>
    /** Removes a warning. Idempotent. */
    readonly forgetWarning: (warning: StrikeWarning) => StoreEffect<void>
  }
>() {}
