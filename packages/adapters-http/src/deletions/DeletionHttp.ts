import { HttpServerResponse } from "@effect/platform"
import { deleteAccount } from "@place-access/domain/deletions"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { HttpOptions } from "../HttpOptions.js"
import * as Browser from "../security/Browser.js"
import * as Credentials from "../security/Credentials.js"
import { requireFreshWithFactor } from "../security/FreshSignIn.js"
import { SignedIn } from "../security/SessionAuth.js"
import { passwordRefusals } from "../wire/passwordRefusals.js"
import { toWire } from "../wire/toWire.js"

export const layer = Group.group(Api, "deletion", (handlers) =>
  handlers.handle(
    "deleteAccount",
    ({ payload: { password } }) =>
      Effect.gen(function* () {
        yield* requireFreshWithFactor(yield* SignedIn)
        yield* deleteAccount(yield* SignedIn, { password, ...(yield* Browser.attempt) })
        return Credentials.clearSession(HttpServerResponse.empty({ status: 204 }), yield* HttpOptions)
      }).pipe(Effect.catchTags(passwordRefusals), toWire),
    { uninterruptible: true }
  )
)
