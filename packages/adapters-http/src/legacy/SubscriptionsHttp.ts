import { createSubscription, removeSubscription } from "@place-access/domain/legacy"
import { gen } from "@place-access/domain/shared"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { BearerCaller } from "../security/BearerAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"

export const layer = Group.group(Api, "subscriptions", (handlers) =>
  handlers
    .handle(
      "create",
      ({ payload }) =>
        gen(function* () {
          const { connection } = yield* BearerCaller
          const { secret, subscription } = yield* createSubscription(connection, payload)
          return {
            answer: { id: subscription.id, url: subscription.url, secret, created_at: subscription.createdAt },
            // The text names only the host of the address, because the path or query of an address can contain keys.
            disclosed: `nothing yet; it named an address for notifications on ${new URL(subscription.url).host}`
          }
        }).pipe(
          Effect.catchTag("InvalidToken", () => Effect.fail(Errors.invalidToken)),
          toWire
        ),
      { uninterruptible: true }
    )
    .handle(
      "remove",
      ({ path }) =>
        gen(function* () {
          const { connection } = yield* BearerCaller
          return { answer: yield* removeSubscription(connection, path.id), disclosed: null }
        }).pipe(toWire),
      { uninterruptible: true }
    )
)
