import { HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import {
  type Account,
  type AccountStore,
  authenticateSession,
  checkFormToken,
  formToken
} from "@place-access/domain/accounts"
import type { StoreError, Vault } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { HttpOptions, portalPath } from "../../HttpOptions.js"
import * as Credentials from "../../security/Credentials.js"
import * as Errors from "../../wire/Errors.js"
import * as Form from "./Form.js"
import { type PageReader, seeOther } from "./Page.js"
import * as ReturnTo from "./ReturnTo.js"

/** A signed-in person, with the session cookie to which the form tokens are bound. */
export interface Visitor {
  readonly account: Account.Account
  readonly cookie: string
}

type Request = HttpServerRequest.HttpServerRequest

export const current: Effect.Effect<
  Option.Option<Visitor>,
  StoreError,
  Request | HttpOptions | AccountStore | Vault.Vault
> = Effect.gen(function* () {
  const cookie = Credentials.sessionToken(yield* HttpServerRequest.HttpServerRequest, yield* HttpOptions)
  if (cookie === undefined) return Option.none()
  return Option.map(yield* authenticateSession(cookie), (account) => ({ account, cookie }))
})

/** For pages that require a sign-in. Anybody else goes to the sign-in page first, and comes back afterwards. */
export const signedIn = <E, R>(
  page: (visitor: Visitor) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E | StoreError,
  R | Request | HttpOptions | AccountStore | Vault.Vault
> =>
  Effect.gen(function* () {
    const visitor = yield* current
    if (Option.isSome(visitor)) return yield* page(visitor.value)
    return seeOther(ReturnTo.signIn(pageOf(yield* HttpServerRequest.HttpServerRequest)))
  })

/**
 * The page to come back to. For a form it is the page that showed the form, known from the Referer of our own pages.
 */
const pageOf = ({ headers, method, url }: Request): string => {
  if (method === "GET" || method === "HEAD") return url
  const from = /^https?:\/\/[^/]+(\/.*)$/.exec(headers["referer"] ?? "")?.[1]
  return from ?? "/"
}

/** The form token of `form` for this visitor. A page sends it as the hidden field `form_token`. */
export const tokenFor = (visitor: Pick<Visitor, "cookie">, form = "") => Effect.orDie(formToken(visitor.cookie, form))

export const reader = (visitor: Visitor): Effect.Effect<PageReader, never, HttpOptions | Vault.Vault> =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    return { account: visitor.account, formToken: yield* tokenFor(visitor), portalPath: portalPath(options) }
  })

export const stale = Errors.forbidden("This form has expired. Go back, reload the page and fill it in again")

/**
 * Reads a posted form and checks its token; a wrong token answers 403 (decision A3). `form` must be the one given to
 * `tokenFor`.
 */
export const checked = (
  cookie: string,
  form = ""
): Effect.Effect<Form.Form, Errors.WireError, Request | HttpOptions | Vault.Vault> =>
  Effect.gen(function* () {
    yield* Credentials.checkOrigin(yield* HttpServerRequest.HttpServerRequest, yield* HttpOptions)
    const posted = yield* Form.read
    return (yield* checkFormToken(cookie, posted.value("form_token"), form)) ? posted : yield* Effect.fail(stale)
  })
