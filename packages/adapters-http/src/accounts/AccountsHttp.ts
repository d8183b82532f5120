import { HttpServerResponse } from "@effect/platform"
import { changeName, chooseLanguage, chooseTimeZone } from "@place-access/domain/accounts"
import { beginSignUp, confirmSignUp, resendSignUp } from "@place-access/domain/credentials"
import { Rate, Subject } from "@place-access/domain/limits"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { afterAnswer } from "../edge/afterAnswer.js"
import { clientAddress } from "../edge/ClientAddress.js"
import * as BrowserLocale from "../html/BrowserLocale.js"
import * as RateLimit from "../limits/RateLimit.js"
import { HttpOptions } from "../HttpOptions.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import { MAILED, toBody } from "./AccountsApi.js"

export const layer = Group.group(Api, "accounts", (handlers) =>
  handlers
    .handle(
      "signUp",
      ({ payload }) =>
        Effect.gen(function* () {
          const options = yield* HttpOptions
          const address = yield* clientAddress
          yield* RateLimit.take(Subject.signUp(address), Rate.SIGN_UPS)
          const { display_name: displayName, email, keep_days: keep, password } = payload
          const language = yield* BrowserLocale.language
          const person = { email, password, displayName, keep, address, language }
          const begun = yield* beginSignUp(person, options.signUp, options.addressRule)
          return begun._tag === "Made" ? toBody(begun.account) : HttpServerResponse.unsafeJson(MAILED, { status: 202 })
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "resendConfirmation",
      ({ payload: { email } }) =>
        Effect.gen(function* () {
          const address = yield* clientAddress
          yield* RateLimit.take(Subject.reset(address), Rate.RESETS)
          const { signUp } = yield* HttpOptions
          const resending = resendSignUp({ email, address, language: yield* BrowserLocale.language }, signUp)
          yield* afterAnswer("A sign-up's link could not be mailed", resending)
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "confirm",
      ({ payload }) =>
        Effect.gen(function* () {
          yield* RateLimit.take(Subject.reset(yield* clientAddress), Rate.RESETS)
          const { account } = yield* confirmSignUp(payload.token, payload.password)
          return toBody(account)
        }).pipe(
          Effect.catchTag("WrongCredentials", () => Effect.fail(Errors.forbidden("The password is wrong"))),
          toWire
        ),
      { uninterruptible: true }
    )
    .handle(
      "changeName",
      ({ payload: { display_name: displayName } }) =>
        Effect.gen(function* () {
          const account = yield* SignedIn
          yield* changeName(account.id, displayName)
          return toBody({ ...account, displayName })
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "chooseTimeZone",
      ({ payload: { time_zone: timeZone } }) =>
        Effect.gen(function* () {
          const account = yield* SignedIn
          yield* chooseTimeZone(account.id, timeZone)
          return toBody({ ...account, timeZone })
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "chooseLanguage",
      ({ payload: { language } }) =>
        Effect.gen(function* () {
          const account = yield* SignedIn
          yield* chooseLanguage(account.id, language)
          return toBody({ ...account, language })
        }).pipe(toWire),
      { uninterruptible: true }
    )
)
