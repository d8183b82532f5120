import { createSubscription, removeSubscription } from "@place-access/domain/legacy"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../edge/Group.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import { Caller } from "../security/BearerAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"

export const layer = Group.group(Api, "subscriptions", (handlers) =>
  handlers
    .handle(
      "create",
      ({ payload }) =>
        Effect.gen(function* () {
          const { connection } = yield* Caller
          const { secret, subscription } = yield* createSubscription(connection, payload)
          yield* CurrentRequest.disclose("nothing yet; it named an address to be told at")
          return { id: subscription.id, url: subscription.url, secret, created_at: subscription.createdAt }
        }).pipe(
          Effect.catchTag("InvalidToken", () => Effect.fail(Errors.invalidToken)),
          toWire
        ),
      { uninterruptible: true }
    )
    .handle(
      "remove",
      ({ path }) =>
        Effect.gen(function* () {
          const { connection } = yield* Caller
          yield* removeSubscription(connection, path.id)
        }).pipe(toWire),
      { uninterruptible: true }
    )
)
