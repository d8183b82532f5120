import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { KnownBrowser } from "@place-access/domain/accounts"
import { PendingSignIn } from "@place-access/domain/accounts"
import { Entropy } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { HttpOptions, isHttps, type ServiceOptions, ownOrigins } from "../HttpOptions.js"
import * as Errors from "../wire/Errors.js"

/**
 * The token of `Authorization: Bearer <token>`; undefined when the header has no such token. The platform cuts off
 * seven characters without checking the scheme, so `Basixx secret` would pass. Therefore this function checks that the
 * header consists of the scheme's name (in upper or lower case), spaces, and one token (RFC 6750 §2.1). An access token
 * in the query or the body is never read (Spec §5.1).
 */
export const bearerToken = (request: Pick<HttpServerRequest.HttpServerRequest, "headers">): string | undefined =>
  /^Bearer +([\x21-\x7e]+)$/i.exec(request.headers["authorization"] ?? "")?.[1]

/**
 * Browsers accept a cookie with the prefix `__Host-` only over https, only for exactly this host, and for all of its
 * paths.
 */
const nameOf =
  (cookie: string) =>
  (options: ServiceOptions): string =>
    isHttps(options) ? `__Host-${cookie}` : cookie

export const cookieName = nameOf("session")

/** The session cookie of the request; None when the request has no session cookie. */
export const sessionCookie: Effect.Effect<
  Option.Option<string>,
  never,
  HttpServerRequest.HttpServerRequest | HttpOptions
> = Effect.zipWith(HttpServerRequest.HttpServerRequest, HttpOptions, ({ cookies }, options) =>
  Option.fromNullable(cookies[cookieName(options)])
)

/**
 * The session cookie of the request, for handlers behind `SessionAuth`. The guard has found the cookie, so for these
 * handlers the effect does not fail.
 */
export const presentSession = Effect.flatMap(
  sessionCookie,
  Option.match({ onNone: () => Effect.fail(Errors.notSignedIn()), onSome: Effect.succeed })
)

const attributes = (options: ServiceOptions) => ({
  httpOnly: true,
  sameSite: "lax" as const,
  path: "/",
  secure: isHttps(options)
})

/** Sets the session cookie. The cookie has no `Max-Age`, so it ends when the browser is closed. */
export const setSession = (
  response: HttpServerResponse.HttpServerResponse,
  token: string,
  options: ServiceOptions
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeSetCookie(response, cookieName(options), token, attributes(options))

export const clearSession = (
  response: HttpServerResponse.HttpServerResponse,
  options: ServiceOptions
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeSetCookie(response, cookieName(options), "", { ...attributes(options), maxAge: 0 })

/**
 * Decision A3: a call that changes something and has a cookie needs one of our own origins in `Origin`, so that no
 * other site can make a browser call us with the user's cookie. Browsers send `Origin` with every such call, so a call
 * without it is refused. Our origins are the configured addresses, and the address in the `Host` header by which the
 * browser called us. A page of another site can change neither `Origin` nor `Host`.
 */
export const checkOrigin = (
  request: HttpServerRequest.HttpServerRequest,
  options: ServiceOptions
): Effect.Effect<void, typeof Errors.Forbidden.Type> => {
  if (request.method === "GET" || request.method === "HEAD") return Effect.void
  const { host, origin } = request.headers
  const called = `${isHttps(options) ? "https" : "http"}://${host ?? ""}`
  return origin !== undefined && (ownOrigins(options).has(origin) || (host !== undefined && origin === called))
    ? Effect.void
    : Effect.fail(Errors.forbidden(`The call did not come from a page of this service: ${reasonOf(origin)}`))
}

const reasonOf = (origin: string | undefined): string =>
  origin === undefined || origin === ""
    ? "it came without an Origin header, which browsers send with every call that changes something"
    : "its Origin header says so"

const visitorName = nameOf("visitor")

/**
 * The cookie of a browser that has no session. The forms for people who are not signed in, such as sign-in and sign-up,
 * are bound to this cookie. Without this cookie, an attacker's page could, for example, make the browser sign in to the
 * attacker's account. The cookie gives no access.
 */
export const visitorToken = (
  request: HttpServerRequest.HttpServerRequest,
  options: ServiceOptions
): string | undefined =>
  Option.getOrUndefined(Option.filter(Option.fromNullable(request.cookies[visitorName(options)]), Entropy.isSecret))

export const setVisitor = (
  response: HttpServerResponse.HttpServerResponse,
  token: string,
  options: ServiceOptions
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeSetCookie(response, visitorName(options), token, attributes(options))

const browserName = nameOf("browser")

/**
 * The cookie of a known browser (`KnownBrowser`), if any. This function does not check the cookie. The cookie signs
 * nobody in.
 */
export const knownBrowser = (
  request: HttpServerRequest.HttpServerRequest,
  options: ServiceOptions
): string | undefined => request.cookies[browserName(options)]

/**
 * Unlike the session cookie, this cookie stays when the browser is closed, so that the service knows the browser at the
 * next sign-in.
 */
export const setKnownBrowser = (
  response: HttpServerResponse.HttpServerResponse,
  cookie: string,
  options: ServiceOptions
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeSetCookie(response, browserName(options), cookie, {
    ...attributes(options),
    maxAge: KnownBrowser.LIFETIME
  })

const pendingName = nameOf("pending")

/**
 * The cookie of a sign-in whose second factor is missing (decision factors-8). The cookie does not belong to a session,
 * so it gives access to nothing.
 */
export const pendingToken = (
  request: HttpServerRequest.HttpServerRequest,
  options: ServiceOptions
): string | undefined => request.cookies[pendingName(options)]

export const setPending = (
  response: HttpServerResponse.HttpServerResponse,
  token: string,
  options: ServiceOptions
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeSetCookie(response, pendingName(options), token, {
    ...attributes(options),
    maxAge: PendingSignIn.LIFETIME
  })

export const clearPending = (
  response: HttpServerResponse.HttpServerResponse,
  options: ServiceOptions
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeSetCookie(response, pendingName(options), "", { ...attributes(options), maxAge: 0 })

const noticeName = nameOf("notice")

/**
 * The cookie with the name of the notice that the next page shows. The browser sends it with the redirect after a form,
 * and not with a link from another site. So nobody can make a page say that something was done.
 */
export const notice = (request: HttpServerRequest.HttpServerRequest, options: ServiceOptions): string | undefined =>
  request.cookies[noticeName(options)]

export const setNotice = (
  response: HttpServerResponse.HttpServerResponse,
  name: string,
  options: ServiceOptions
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeSetCookie(response, noticeName(options), name, {
    ...attributes(options),
    sameSite: "strict",
    maxAge: "1 minute"
  })

export const clearNotice = (
  response: HttpServerResponse.HttpServerResponse,
  options: ServiceOptions
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeSetCookie(response, noticeName(options), "", {
    ...attributes(options),
    sameSite: "strict",
    maxAge: 0
  })
