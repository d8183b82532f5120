import type { EndpointUrl } from "../endpoints/EndpointUrl.js"
import type { AppId, ConnectionId, RuleId, SubscriptionId, UserId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Sealed } from "../shared/Vault.js"

/** Where events of one connection went before apps had endpoints (Spec §4.8). */
export interface Subscription {
  readonly userId: UserId
  readonly id: SubscriptionId
  readonly connectionId: ConnectionId
  readonly appId: AppId
  readonly url: EndpointUrl
  /** Its signing secret, at rest. */
  readonly sealed: Sealed
  readonly createdAt: Timestamp
}

export const MAX_PER_CONNECTION = 5

/**
 * An address with a secret of its own, which belongs to a rule or to a connection and not to the app (Spec §6.4.8). A rule's
 * own address gets what that rule fires, and nobody else does; a subscription gets what the connection's rules fire that name
 * no address.
 */
export type Receiver =
  | { readonly _tag: "Rule"; readonly id: RuleId; readonly url: EndpointUrl; readonly sealed: Sealed }
  | { readonly _tag: "Subscription"; readonly id: SubscriptionId; readonly url: EndpointUrl; readonly sealed: Sealed }

/** What a sealed secret is bound to: moved to another receiver it does not unseal. */
export const sealContext = (userId: UserId, id: RuleId | SubscriptionId): string => `legacy-secret ${userId} ${id}`
