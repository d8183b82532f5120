import { HttpServerResponse } from "@effect/platform"
import { deleteAccount } from "@place-access/domain/deletions"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { HttpOptions } from "../HttpOptions.js"
import * as Browser from "../security/Browser.js"
import * as Credentials from "../security/Credentials.js"
import { requireFreshWithFactor } from "../security/FreshSignIn.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"

export const layer = Group.group(Api, "deletion", (handlers) =>
  handlers.handle(
    "deleteAccount",
    ({ payload: { password } }) =>
      Effect.gen(function* () {
        yield* requireFreshWithFactor(yield* SignedIn)
        yield* deleteAccount(yield* SignedIn, { password, ...(yield* Browser.attempt) })
        return Credentials.clearSession(HttpServerResponse.empty({ status: 204 }), yield* HttpOptions)
      }).pipe(
        Effect.catchTags({
          // 403 and not 401, because the session is valid.
          WrongCredentials: () => Effect.fail(Errors.forbidden("The password is wrong")),
          TooManyAttempts: ({ retryAfterMillis }) =>
            Effect.fail(Errors.rateLimited(retryAfterMillis / Timestamp.SECOND))
        }),
        toWire
      ),
    { uninterruptible: true }
  )
)
