import { type Connection, InvalidToken } from "../connection/index.js"
import { checkedUrl } from "../endpoints/manageEndpoints.js"
import * as SigningSecret from "../endpoints/SigningSecret.js"
import { Conflict, Entropy, NotFound, SubscriptionId, Timestamp, Vault, program } from "../shared/index.js"
import { LegacyStore } from "./LegacyStore.js"
import * as Receiver from "./Receiver.js"

/**
 * Creates a subscription of the connection and returns it with its signing secret, which no later request returns (Spec
 * §4.8). `Invalid` for an address that an endpoint could not have. `Conflict` when the connection already has
 * `Receiver.MAX_PER_CONNECTION` subscriptions. `InvalidToken` when the connection or its standard tier has ended.
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
    switch (yield* (yield* LegacyStore).subscribe(subscription)) {
      case "created":
        return { subscription, secret }
      case "full":
        return yield* new Conflict({
          reason: `a connection can have ${Receiver.MAX_PER_CONNECTION} subscriptions; remove one first`
        })
      case "ended":
        // The connection or its standard tier ended between the check of the token and the lock.
        return yield* new InvalidToken({ known: { userId, connectionId, appId } })
    }
  }
)

/**
 * Removes a subscription. Its waiting events are not sent. `NotFound` when the connection has no subscription with this
 * id.
 */
export const removeSubscription = program(
  "removeSubscription",
  function* ({ id: connectionId, userId }: Pick<Connection.Connection, "userId" | "id">, id: SubscriptionId) {
    const removed = yield* (yield* LegacyStore).unsubscribe(userId, connectionId, id)
    if (!removed) return yield* new NotFound({ what: "subscription" })
  }
)
