import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { endOtherSessions, endSession, listSessions, signOut } from "@place-access/domain/accounts"
import { finishSignIn } from "@place-access/domain/factors"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { HttpOptions } from "../HttpOptions.js"
import * as Browser from "../security/Browser.js"
import * as Credentials from "../security/Credentials.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import { AccountBody, toBody, toSessionBody } from "./AccountsApi.js"
import { enterWith } from "./enter.js"

const encodeBody = Schema.encodeSync(AccountBody)

/** Refuses to sign in a browser that is on a page of another origin. A program sends no `Origin`, and is allowed. */
const refuseOtherOrigins = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (request.headers["origin"] !== undefined) yield* Credentials.checkOrigin(request, yield* HttpOptions)
})

/**
 * Finishes the sign-in of an account with a second factor. A program sends the code in the same request as the
 * password; a request without a code fails with `secondFactorRequired`.
 */
const secondStep = (pending: string, code: string | undefined) =>
  Effect.gen(function* () {
    if (code === undefined) return yield* Effect.fail(Errors.secondFactorRequired)
    const { knownBrowser } = yield* Browser.attempt
    return yield* finishSignIn({ pending, proof: { _tag: "Code", code }, ...(yield* Browser.client), knownBrowser })
  })

export const layer = Group.group(Api, "session", (handlers) =>
  handlers
    .handle(
      "signIn",
      ({ payload }) =>
        Effect.gen(function* () {
          yield* refuseOtherOrigins
          const { code, ...credentials } = payload
          const { account, withCookies } = yield* enterWith(credentials, (pending) => secondStep(pending, code))
          return withCookies(HttpServerResponse.unsafeJson(encodeBody(toBody(account)), { status: 201 }))
        }).pipe(
          Effect.catchTags({
            WrongCredentials: () => Effect.fail(Errors.notSignedIn("E-mail or password is wrong")),
            WrongFactor: () => Effect.fail(Errors.notSignedIn("The code is wrong, or was used before")),
            // `PendingOver`: somebody replaced the password or deleted the account between the check of the password
            // and the check of the code.
            PendingOver: () => Effect.fail(Errors.notSignedIn("E-mail or password is wrong")),
            TooManyAttempts: ({ retryAfterMillis }) =>
              Effect.fail(Errors.rateLimited(retryAfterMillis / Timestamp.SECOND))
          }),
          toWire
        ),
      { uninterruptible: true }
    )
    .handle("whoAmI", () => Effect.map(SignedIn, toBody))
    .handle(
      "signOut",
      () =>
        Effect.gen(function* () {
          const options = yield* HttpOptions
          const response = HttpServerResponse.empty({ status: 204 })
          // The check of the origin is needed only for a call with a cookie (decision A3). Without a cookie there is no
          // session that a page of another origin could end.
          const cookie = yield* Credentials.sessionCookie
          if (Option.isNone(cookie)) return response
          yield* Credentials.checkOrigin(yield* HttpServerRequest.HttpServerRequest, options)
          yield* signOut(cookie.value)
          return Credentials.clearSession(response, options)
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle("listSessions", () =>
      Effect.gen(function* () {
        const sessions = yield* listSessions((yield* SignedIn).id, yield* Credentials.presentSession)
        return { sessions: sessions.map(toSessionBody), nextCursor: null }
      }).pipe(toWire)
    )
    .handle("endSession", ({ path }) => Effect.flatMap(SignedIn, ({ id }) => toWire(endSession(id, path.id))), {
      uninterruptible: true
    })
    .handle(
      "endOtherSessions",
      () =>
        Effect.gen(function* () {
          return { ended: yield* endOtherSessions((yield* SignedIn).id, yield* Credentials.presentSession) }
        }).pipe(toWire),
      { uninterruptible: true }
    )
)
