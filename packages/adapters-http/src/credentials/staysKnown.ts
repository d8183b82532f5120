import { HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import type { Account } from "@place-access/domain/accounts"
import { knowBrowser } from "@place-access/domain/credentials"
import { Effect, Option } from "effect"
import { HttpOptions } from "../HttpOptions.js"
import * as Credentials from "../security/Credentials.js"

/**
 * Makes this browser known to the account (`KnownBrowser`): adds a cookie to `response`, if the account still has this
 * e-mail address. Callers use this function in two cases: after a new password was set, because the account then
 * forgets its known browsers, and when a browser has sent the form of a new password or of a second factor twice
 * (decision accounts-21).
 */
export const staysKnown = (
  account: Pick<Account.Account, "id" | "email">,
  response: HttpServerResponse.HttpServerResponse
) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const before = Credentials.knownBrowser(yield* HttpServerRequest.HttpServerRequest, options)
    return Option.match(yield* knowBrowser(account, before), {
      onNone: () => response,
      onSome: (cookie) => Credentials.setKnownBrowser(response, cookie, options)
    })
  })

/** Like `staysKnown`. Also sets the session cookie, if there is a new one. */
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
