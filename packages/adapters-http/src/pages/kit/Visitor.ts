import { HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import {
  Account,
  type AccountStore,
  authenticateSession,
  checkFormToken,
  findRepeated,
  formToken,
  isFreshSession,
  requireFreshWithFactor,
  type SentForm,
  Session
} from "@place-access/domain/accounts"
import { Entropy, type StoreError, type Vault } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { HttpOptions, portalPath } from "../../HttpOptions.js"
import type { Locale } from "../../html/Locale.js"
import { textsIn } from "../../languages/index.js"
import * as BrowserLocale from "../../html/BrowserLocale.js"
import * as Credentials from "../../security/Credentials.js"
import * as StaffFactor from "../../security/StaffFactor.js"
import * as Errors from "../../wire/Errors.js"
import * as Fields from "./Fields.js"
import * as Form from "./Form.js"
import { type PageReader, seeOther } from "./Page.js"
import * as ReturnTo from "./ReturnTo.js"

/** A signed-in person, with the session cookie to which the form tokens are bound. */
export interface Visitor {
  readonly account: Account.Account
  readonly cookie: string
}

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

type VisitorPage<E, R> = (visitor: Visitor) => Effect.Effect<Response, E, R>

export const current: Effect.Effect<
  Option.Option<Visitor>,
  StoreError,
  Request | HttpOptions | AccountStore | Vault.Vault
> = Effect.gen(function* () {
  const cookie = Credentials.sessionToken(yield* HttpServerRequest.HttpServerRequest, yield* HttpOptions)
  if (cookie === undefined) return Option.none()
  return Option.map(yield* authenticateSession(cookie), (account) => ({ account, cookie }))
})

/**
 * For pages that require a sign-in. Anybody else goes to the sign-in page first, and comes back afterwards. Staff who
 * lack the second factor that the service requires of them reach only the pages that set one up (decision factors-9).
 */
export const signedIn = <E, R>(page: VisitorPage<E, R>) =>
  signedInAnyhow((visitor) =>
    Effect.gen(function* () {
      if (!(yield* StaffFactor.isLacking(visitor.account))) return yield* page(visitor)
      const setUp = `${portalPath(yield* HttpOptions)}/settings/second-factor`
      const { url } = yield* HttpServerRequest.HttpServerRequest
      const isThere = new URL(url, "http://here.invalid").pathname
      return isThere === setUp || isThere.startsWith(`${setUp}/`) ? yield* page(visitor) : seeOther(setUp)
    })
  )

/** Like `signedIn`, for the page `/confirm`, which staff without the required second factor may use as well. */
export const signedInAnyhow = <E, R>(
  page: VisitorPage<E, R>
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
 * Like `signedIn`, for dangerous operations: also requires a sign-in or a confirmation of the last 15 minutes (decision
 * accounts-17). Any other visitor goes to the page `/confirm` first, and then comes back: to the page, or to the page
 * that has the form.
 */
export const fresh = <E, R>(page: VisitorPage<E, R>) =>
  signedIn((visitor) =>
    Effect.flatMap(confirmed(visitor), (redirect) => (redirect === null ? page(visitor) : redirect))
  )

/**
 * For forms that ask for the password themselves. Without a second factor the password is proof enough. With a second
 * factor, the sign-in must be fresh too.
 */
export const freshWithFactor = <E, R>(page: VisitorPage<E, R>) =>
  signedIn((visitor) =>
    Effect.matchEffect(requireFreshWithFactor(visitor.account, visitor.cookie), {
      onSuccess: () => page(visitor),
      onFailure: (error) => (error._tag === "ConfirmationRequired" ? toConfirm : Effect.fail(error))
    })
  )

/** Null for a visitor who was confirmed in the last 15 minutes, otherwise the redirect to the page `/confirm`. */
export const confirmed = (
  visitor: Visitor
): Effect.Effect<
  Effect.Effect<HttpServerResponse.HttpServerResponse> | null,
  StoreError,
  Request | AccountStore | Vault.Vault
> =>
  Effect.gen(function* () {
    if (yield* isFreshSession(visitor.cookie)) return null
    return Effect.succeed(yield* toConfirm)
  })

/** Redirects to the page `/confirm`, which leads back to the page of this request. */
export const toConfirm = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
  seeOther(ReturnTo.confirm(pageOf(request)))
)

/**
 * The page to come back to. For a form it is the page that showed the form, known from the Referer of our own pages;
 * without a Referer, the front page.
 */
const pageOf = ({ headers, method, url }: Request): string => {
  if (method === "GET" || method === "HEAD") return url
  const from = /^https?:\/\/[^/]+(\/.*)$/.exec(headers["referer"] ?? "")?.[1]
  return from ?? "/"
}

/** The form token of `form` for this visitor. A page sends it as the hidden field `form_token`. */
export const tokenFor = (visitor: Pick<Visitor, "cookie">, form = "") => Effect.orDie(formToken(visitor.cookie, form))

export const reader = (visitor: Visitor): Effect.Effect<PageReader, never, HttpOptions | Request | Vault.Vault> =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    return {
      account: visitor.account,
      formToken: yield* tokenFor(visitor),
      portalPath: portalPath(options),
      locale: yield* locale(visitor)
    }
  })

/**
 * The visitor's locale: their zone, if it is known (decision accounts-19), and the language that they or their browser
 * chose (decision languages-1).
 */
export const locale = ({ account }: Pick<Visitor, "account">): Effect.Effect<Locale, never, Request> =>
  Effect.map(BrowserLocale.locale, (browser) => ({
    ...browser,
    language: account.language ?? browser.language,
    zone: Option.getOrNull(Account.zoneOf(account))
  }))

/** The locale of a page without navigation that strangers see too: the visitor's, or the browser's. */
export const currentLocale = Effect.flatMap(
  current,
  Option.match({ onNone: () => BrowserLocale.locale, onSome: locale })
)

export const stale = Errors.forbidden(textsIn("en").frame.messages.stale)

/**
 * Reads a posted form and checks its token; a wrong token answers 403 (decision A3). `form` must be the name that
 * `tokenFor` got.
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

/**
 * A hidden field with a random id, for a form whose answer replaces the session cookie. `once` recognises by the id
 * that the same form was sent twice.
 */
export const onceField = Effect.map(Entropy.secret, (text) => Fields.hidden("form_id", text))

/**
 * Identifies the form that was sent; undefined when the form has no valid `form_id`. The token of the form binds the
 * form to the browser, so no other browser can send the same form.
 */
export const sentForm = (form: Form.Form): SentForm =>
  Session.isCookie(form.value("form_id")) ? `${form.value("form_token")} ${form.value("form_id")}` : undefined

/**
 * Handles a form that has `onceField`. A person who presses its button twice sends it twice: the second time with the
 * old session cookie, which no longer works, or already with the new one. Either gets the first answer, which leads to
 * `to` (decision accounts-21).
 */
export const once = <E, R>(to: (form: Form.Form) => string, handle: Effect.Effect<Response, E, R>) =>
  Effect.gen(function* () {
    const before = yield* repeated(to)
    if (Option.isSome(before)) return before.value
    const answer = yield* handle
    const isDone = Credentials.cookieName(yield* HttpOptions) in answer.cookies.cookies
    // The same form may have been handled in the meantime, which used up its code or ended the old session.
    return isDone ? answer : Option.getOrElse(yield* repeated(to), () => answer)
  })

const repeated = (to: (form: Form.Form) => string) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* Credentials.checkOrigin(request, options)
    const form = yield* Form.read
    const cookie = yield* findRepeated(sentForm(form))
    if (Option.isNone(cookie)) return Option.none<Response>()
    const present = Credentials.sessionToken(request, options)
    const bound = [present, Credentials.visitorToken(request, options)].filter((one) => one !== undefined)
    const owns = yield* Effect.exists(bound, (one) => checkFormToken(one, form.value("form_token")))
    return owns || present === cookie.value
      ? Option.some(Credentials.setSession(seeOther(to(form)), cookie.value, options))
      : Option.none<Response>()
  })
