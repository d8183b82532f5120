import { HttpServerResponse } from "@effect/platform"
import { changePassword, resetPassword } from "@place-access/domain/credentials"
import { Rate, Subject } from "@place-access/domain/limits"
import { Vault } from "@place-access/domain/shared"
import { Effect } from "effect"
import { Api } from "../Api.js"
import { clientAddress } from "../edge/ClientAddress.js"
import * as Group from "../Group.js"
import * as RateLimit from "../limits/RateLimit.js"
import * as Browser from "../security/Browser.js"
import * as Credentials from "../security/Credentials.js"
import { requireFreshWithFactor } from "../security/FreshSignIn.js"
import { SignedIn } from "../security/SessionAuth.js"
import { passwordRefusals } from "../wire/passwordRefusals.js"
import { toWire } from "../wire/toWire.js"
import { mailResetLink } from "./mailResetLink.js"
import { staysKnown, staysSignedIn } from "./staysKnown.js"

export const layer = Group.group(Api, "credentials", (handlers) =>
  handlers
    .handle(
      "changePassword",
      ({ payload }) =>
        Effect.gen(function* () {
          yield* requireFreshWithFactor(yield* SignedIn)
          const { sha256 } = yield* Vault.Vault
          const account = yield* SignedIn
          const fresh = yield* changePassword(account, {
            password: payload.password,
            newPassword: payload.new_password,
            session: sha256(yield* Credentials.presentSession),
            ...(yield* Browser.attempt)
          })
          return yield* staysSignedIn(account, fresh, HttpServerResponse.empty({ status: 204 }))
        }).pipe(Effect.catchTags(passwordRefusals), toWire),
      { uninterruptible: true }
    )
    .handle("requestPasswordReset", ({ payload }) => toWire(mailResetLink(payload.email)), { uninterruptible: true })
    .handle(
      "resetPassword",
      ({ payload }) =>
        Effect.gen(function* () {
          yield* RateLimit.take(Subject.reset(yield* clientAddress), Rate.RESETS)
          const account = yield* resetPassword(payload.token, payload.password)
          return yield* staysKnown(account, HttpServerResponse.empty({ status: 204 }))
        }).pipe(toWire),
      { uninterruptible: true }
    )
)
