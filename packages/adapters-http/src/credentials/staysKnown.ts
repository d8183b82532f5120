import { HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import type { Account } from "@place-access/domain/accounts"
import { knowBrowser } from "@place-access/domain/credentials"
import { Effect, Option } from "effect"
import { HttpOptions } from "../HttpOptions.js"
import * as Credentials from "../security/Credentials.js"

/**
 * A new password makes the account forget all its known browsers. This function makes the browser that has just set the
 * password, or has sent its form twice (decision accounts-21), known again: it adds a new cookie to `response`.
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
