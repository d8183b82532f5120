import { HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { type Account, learnLanguage, learnTimeZone, signIn, signOut } from "@place-access/domain/accounts"
import { type ProvedBy, rememberSignIn } from "@place-access/domain/credentials"
import { Effect, Option } from "effect"
import * as AcceptLanguage from "../html/AcceptLanguage.js"
import { HttpOptions } from "../HttpOptions.js"
import * as Browser from "../security/Browser.js"
import * as Credentials from "../security/Credentials.js"

/** The session that this request has opened. */
export interface OpenedSession {
  readonly account: Account.Account
  readonly cookie: string
  readonly passwordVersion: number
}

/**
 * The cookie in which the script of pages that begin a sign-in (`zoneScript`) sends the browser's time zone. Anybody
 * can set the cookie, so `learnTimeZone` checks its value.
 */
const TIME_ZONE_COOKIE = "time_zone"

/**
 * Completes a sign-in. Ends the session that this browser had before, because the new cookie replaces that session's
 * cookie. The returned `withCookies` adds two cookies to an answer: the session, and a cookie that makes this browser
 * known to the account (`KnownBrowser`). `provedBy`: how the person proved who they are.
 */
export const entered = ({ account, cookie, passwordVersion }: OpenedSession, provedBy: ProvedBy) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const request = yield* HttpServerRequest.HttpServerRequest
    const before = yield* Credentials.sessionCookie
    const { knownBrowser } = yield* Browser.attempt
    const client = yield* Browser.client
    const known = yield* rememberSignIn({ account, passwordVersion, provedBy, knownBrowser, client })
    yield* learnTimeZone(account, request.cookies[TIME_ZONE_COOKIE])
    yield* learnLanguage(account, AcceptLanguage.negotiate(request.headers["accept-language"]))
    if (Option.isSome(before)) yield* signOut(before.value)
    return {
      account,
      withCookies: (response: HttpServerResponse.HttpServerResponse) =>
        Credentials.setKnownBrowser(Credentials.setSession(response, cookie, options), known, options)
    }
  })

/** Signs this browser in. Fails with `FactorRequired` for an account that has a second factor. */
export const enter = (credentials: Credential) =>
  Effect.flatMap(checked(credentials), (opened) => entered(opened, "password"))

/**
 * Like `enter`, but does not fail with `FactorRequired`: for an account with a second factor, `secondStep` completes
 * the sign-in.
 */
export const enterWith = <E, R>(
  credentials: Credential,
  secondStep: (pending: string) => Effect.Effect<OpenedSession, E, R>
) =>
  checked(credentials).pipe(
    Effect.catchTag("FactorRequired", ({ pending }) => secondStep(pending)),
    Effect.flatMap((opened) => entered(opened, "password"))
  )

interface Credential {
  readonly email: Account.Email
  readonly password: string
}

const checked = (credentials: Credential) =>
  Effect.gen(function* () {
    const { knownBrowser } = yield* Browser.attempt
    return yield* signIn({ ...credentials, ...(yield* Browser.client), knownBrowser })
  })
