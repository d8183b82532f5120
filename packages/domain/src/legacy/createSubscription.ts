import { Effect } from "effect"
import type { Connection } from "../connection/Connection.js"
import { InvalidToken } from "../connection/Errors.js"
import { checkedUrl } from "../endpoints/checkedUrl.js"
import * as SigningSecret from "../endpoints/SigningSecret.js"
import * as Entropy from "../shared/Entropy.js"
import { SubscriptionId } from "../shared/Ids.js"
import { Conflict } from "../shared/Invalid.js"
import * as Timestamp from "../shared/Timestamp.js"
import { Vault } from "../shared/Vault.js"
import { LegacyStore } from "./LegacyStore.js"
import * as Receiver from "./Receiver.js"

/**
 * A subscription of the connection and its signing secret, which is never told again (Spec §4.8). `Invalid` for an address that no
 * endpoint could have either, `Conflict` when the connection has five.
 */
export const createSubscription = Effect.fn("createSubscription")(function* (
  { appId, id: connectionId, userId }: Pick<Connection, "userId" | "id" | "appId">,
  input: { readonly url: string }
) {
  const url = yield* checkedUrl(input.url)
  const id = SubscriptionId.make(yield* Entropy.id("sbs"))
  const secret = `${SigningSecret.PREFIX}${yield* Entropy.secret}`
  const sealed = yield* (yield* Vault).seal(secret, Receiver.sealContext(userId, id))
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
      // Between the check of the token and the lock: the token is worth nothing any more.
      return yield* new InvalidToken({ known: { userId, connectionId, appId } })
  }
})
