import { type Connection, InvalidToken } from "../connection/index.js"
import { checkedUrl } from "../endpoints/manageEndpoints.js"
import * as SigningSecret from "../endpoints/SigningSecret.js"
import {
  Conflict,
  type ConnectionId,
  Entropy,
  NotFound,
  SubscriptionId,
  Timestamp,
  type UserId,
  Vault,
  program
} from "../shared/index.js"
import { LegacyStore } from "./LegacyStore.js"
import * as Receiver from "./Receiver.js"

const FULL = `a connection can have ${Receiver.MAX_PER_CONNECTION} subscriptions; remove one first`

/**
 * Creates a subscription of the connection and returns it with its signing secret, which no later request returns (Spec
 * §4.8). Fails with `Invalid` for an address that an endpoint could not have. Fails with `Conflict` when the connection
 * already has `Receiver.MAX_PER_CONNECTION` subscriptions. Fails with `InvalidToken` when the connection or its
 * standard tier has ended.
 */
export const createSubscription = program(
  "createSubscription",
  function* (
    { appId, id: connectionId, userId }: Pick<Connection.Connection, "userId" | "id" | "appId">,
    input: { readonly url: string }
  ) {
    const url = yield* checkedUrl(input.url)
    const id = SubscriptionId.make(yield* Entropy.id("sbs"))
    const secret = `${SigningSecret.PREFIX}${yield* Entropy.secret}`
    const sealed = yield* (yield* Vault.Vault).seal(secret, Receiver.sealContext(userId, id))
    const createdAt = yield* Timestamp.now
    const subscription: Receiver.Subscription = { userId, id, connectionId, appId, url, sealed, createdAt }
    const outcome = yield* (yield* LegacyStore).subscribe(subscription)
    if (outcome === "full") return yield* new Conflict({ reason: FULL })
    // The connection or its standard tier ended between the check of the token and the lock.
    if (outcome === "ended") return yield* new InvalidToken({ known: { userId, connectionId, appId } })
    return { subscription, secret }
  }
)

/** The subscriptions of the user's connection, oldest first, so that the user can see where events go (legacy-7). */
export const listSubscriptions = program("listSubscriptions", function* (userId: UserId, id: ConnectionId) {
  return yield* (yield* LegacyStore).subscriptions(userId, id)
})

/**
 * Removes a subscription, for the app or for the connection's user. Events that still wait for the subscription are not
 * sent. Fails with `NotFound` when the connection has no subscription with this id.
 */
export const removeSubscription = program(
  "removeSubscription",
  function* ({ id: connectionId, userId }: Pick<Connection.Connection, "userId" | "id">, id: SubscriptionId) {
    if (!(yield* (yield* LegacyStore).unsubscribe(userId, connectionId, id)))
      return yield* new NotFound({ what: "subscription" })
  }
)
