import { HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import type { Account } from "@place-access/domain/accounts"
import { knowBrowser } from "@place-access/domain/credentials"
import { Effect, Option } from "effect"
import { HttpOptions } from "../HttpOptions.js"
import * as Credentials from "../security/Credentials.js"

/** Makes the browser known that has just set a new password: with the old one, every known browser was forgotten. */
export const staysKnown = (account: Account.Account, response: HttpServerResponse.HttpServerResponse) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const before = Credentials.knownBrowser(yield* HttpServerRequest.HttpServerRequest, options)
    return Option.match(yield* knowBrowser(account, before), {
      onNone: () => response,
      onSome: (cookie) => Credentials.setKnownBrowser(response, cookie, options)
    })
  })

/** Also gives the browser the new cookie of its session, which the change of the password returned. */
export const staysSignedIn = (
  account: Account.Account,
  cookie: Option.Option<string>,
  response: HttpServerResponse.HttpServerResponse
) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const known = yield* staysKnown(account, response)
    return Option.match(cookie, {
      onNone: () => known,
      onSome: (fresh) => Credentials.setSession(known, fresh, options)
    })
  })
