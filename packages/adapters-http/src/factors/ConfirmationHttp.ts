import { HttpServerResponse } from "@effect/platform"
import { confirmSession, type IdentityProof } from "@place-access/domain/factors"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { HttpOptions } from "../HttpOptions.js"
import * as Browser from "../security/Browser.js"
import * as Credentials from "../security/Credentials.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { passwordRefusals } from "../wire/passwordRefusals.js"
import { toWire } from "../wire/toWire.js"

export const layer = Group.group(Api, "confirmation", (handlers) =>
  handlers.handle(
    "confirmSession",
    ({ payload: { code = null, password } }) =>
      Effect.gen(function* () {
        const options = yield* HttpOptions
        const before = yield* Credentials.presentSession
        const proof: IdentityProof = { _tag: "Password", password, code }
        const cookie = yield* confirmSession(yield* SignedIn, { proof, ...(yield* Browser.attempt), cookie: before })
        return Credentials.setSession(HttpServerResponse.empty({ status: 204 }), cookie, options)
      }).pipe(
        Effect.catchTags({
          ...passwordRefusals,
          WrongFactor: () => Effect.fail(Errors.forbidden("The code is wrong, or was used before")),
          FactorRequired: () => Effect.fail(Errors.secondFactorRequired)
        }),
        toWire
      ),
    { uninterruptible: true }
  )
)
