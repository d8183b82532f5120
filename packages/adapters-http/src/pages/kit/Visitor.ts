import { HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import {
  Account,
  type AccountStore,
  authenticateSession,
  checkFormToken,
  findRepeated,
  formToken,
  isFreshSession,
  requireFreshWithFactor,
  type SentForm
} from "@place-access/domain/accounts"
import { Entropy, StoreError, type Vault } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { staysSignedIn } from "../../credentials/staysKnown.js"
import * as Body from "../../edge/Body.js"
import * as CurrentRequest from "../../edge/CurrentRequest.js"
import { HttpOptions, portalPath } from "../../HttpOptions.js"
import type { Locale } from "../../html/Locale.js"
import { textsIn } from "../../languages/index.js"
import * as BrowserLocale from "../../html/BrowserLocale.js"
import { html } from "../../html/Html.js"
import * as Credentials from "../../security/Credentials.js"
import * as StaffFactor from "../../security/StaffFactor.js"
import { ENDED } from "../../security/stillSignedIn.js"
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

/** Finds the page to which the person comes back after a sign-in or a confirmation. */
type PageToReturnTo = (request: Request) => string

/**
 * For a GET request, the page to return to is the requested page. For a form, it is the page that showed the form,
 * which the Referer header names; `chooseAgain` makes this page say that nothing was done. Without a Referer header, it
 * is the front page.
 */
const pageOf: PageToReturnTo = ({ headers, method, url }) => {
  if (method === "GET" || method === "HEAD") return url
  const from = /^https?:\/\/[^/]+(\/.*)$/.exec(headers["referer"] ?? "")?.[1]
  return from === undefined ? "/" : chooseAgain(from)
}

/**
 * Adds the notice `CHOOSE_AGAIN` to the address of a page. The notice says that the page's form is shown again without
 * the person's earlier choices (decision accounts-17). The notice replaces the notice of an earlier form in `path`.
 */
export const chooseAgain = (path: string): string => {
  const [page = ""] = path.split("?")
  const query = new URLSearchParams(path.slice(page.length))
  query.set("done", ReturnTo.CHOOSE_AGAIN)
  return `${page}?${query}`
}

type VisitorPage<E, R> = (visitor: Visitor) => Effect.Effect<Response, E, R>

/** The visitor, whose session is checked when the whole form has arrived (decision accounts-23). */
export const current: Effect.Effect<
  Option.Option<Visitor>,
  StoreError,
  Request | HttpOptions | AccountStore | Vault.Vault
> = Effect.gen(function* () {
  const cookie = yield* Credentials.sessionCookie
  if (Option.isNone(cookie)) return Option.none()
  yield* Body.arrived
  return Option.map(yield* authenticateSession(cookie.value), (account) => ({ account, cookie: cookie.value }))
})

/**
 * Wraps a page that requires a sign-in. A visitor who is not signed in goes to the sign-in page first, and comes back
 * afterwards. Staff who lack the second factor that the service requires of them reach only the pages that set up a
 * second factor (decision factors-9).
 */
export const signedIn = <E, R>(page: VisitorPage<E, R>, comesBackTo: PageToReturnTo = pageOf) =>
  signedInAnyhow((visitor) => withFactor(visitor, page(visitor)), comesBackTo)

/**
 * Answers with the page, but redirects staff who lack the required second factor to the page that sets one up. The
 * function recognises this page by the route and not by the address, because the router may read an address
 * differently, for example an address with a `;`.
 */
export const withFactor = <E, R>(visitor: Visitor, page: Effect.Effect<Response, E, R>) =>
  Effect.gen(function* () {
    if (!(yield* StaffFactor.isLacking(visitor.account))) return yield* page
    const setUp = `${portalPath(yield* HttpOptions)}/settings/second-factor`
    const { path } = (yield* HttpRouter.RouteContext).route
    return path === setUp || path.startsWith(`${setUp}/`) ? yield* page : seeOther(setUp)
  })

/** Like `signedIn`, but also for staff who lack the required second factor. The page `/confirm` uses this function. */
export const signedInAnyhow = <E, R>(
  page: VisitorPage<E, R>,
  comesBackTo: PageToReturnTo = pageOf
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E | StoreError,
  R | Request | HttpOptions | AccountStore | Vault.Vault
> =>
  Effect.gen(function* () {
    const signIn = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
      seeOther(ReturnTo.signIn(comesBackTo(request)))
    )
    const visitor = yield* current
    if (Option.isNone(visitor)) return yield* signIn
    yield* CurrentRequest.sessionIs(visitor.value.cookie)
    return yield* backWhenStale(page(visitor.value), comesBackTo).pipe(
      Effect.catchSomeDefect((defect) => (defect === ENDED ? Option.some(signIn) : Option.none()))
    )
  })

/**
 * Like `signedIn`, for dangerous operations: also requires a sign-in or a confirmation in the last 15 minutes (decision
 * accounts-17). Any other visitor goes to the page `/confirm` first. Then the visitor comes back to the requested page,
 * or to the page that has the form.
 */
export const fresh = <E, R>(page: VisitorPage<E, R>) =>
  signedIn((visitor) =>
    Effect.flatMap(confirmed(visitor), (redirect) => (redirect === null ? page(visitor) : redirect))
  )

/**
 * For forms that ask for the password themselves. When the account has a second factor, the visitor also needs a
 * sign-in or a confirmation in the last 15 minutes, because the password alone does not prove the second factor.
 */
export const freshWithFactor = <E, R>(page: VisitorPage<E, R>) =>
  signedIn((visitor) =>
    Effect.matchEffect(requireFreshWithFactor(visitor.account, visitor.cookie), {
      onSuccess: () => page(visitor),
      onFailure: (error) => (error._tag === "ConfirmationRequired" ? confirmThen(pageOf) : Effect.fail(error))
    })
  )

/**
 * Null for a visitor who signed in or confirmed in the last 15 minutes. Otherwise the redirect to the page `/confirm`.
 */
export const confirmed = (
  visitor: Visitor,
  comesBackTo: PageToReturnTo = pageOf
): Effect.Effect<
  Effect.Effect<HttpServerResponse.HttpServerResponse> | null,
  StoreError,
  Request | AccountStore | Vault.Vault
> =>
  Effect.gen(function* () {
    if (yield* isFreshSession(visitor.cookie)) return null
    return Effect.succeed(yield* confirmThen(comesBackTo))
  })

const confirmThen = (comesBackTo: PageToReturnTo) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => seeOther(ReturnTo.confirm(comesBackTo(request))))

/** Redirects to the page `/confirm`, which leads back to `path`, where the person fills in the form again. */
export const toConfirmAndChoose = (path: string) => seeOther(ReturnTo.confirm(chooseAgain(path)))

/** The token of the form named `form`, for this visitor. A page has the token in the hidden field `form_token`. */
export const tokenFor = (visitor: Pick<Visitor, "cookie">, form = "") => Effect.orDie(formToken(visitor.cookie, form))

/** The token of the account for which a page was made. It is valid in every session of the account. */
const ACCOUNT_TOKEN = { field: "account_token", form: "account" }

/**
 * The hidden fields of a form that `showingAgain` shows again: the token of the form, and the token of the account for
 * which the page was made. Without the second token the form is not shown again.
 */
export const tokenFields = (visitor: Visitor) =>
  Effect.zipWith(
    tokenFor(visitor),
    tokenFor({ cookie: visitor.account.id }, ACCOUNT_TOKEN.form),
    (form, account) => html`${Fields.hidden("form_token", form)}${Fields.hidden(ACCOUNT_TOKEN.field, account)}`
  )

/**
 * Whether the page of the posted form was made for the visitor's account. Another account may have signed in since in
 * the same browser. This account must not see what the first account typed (decision accounts-17).
 */
export const isFromOwnPage = ({ account }: Visitor, posted: Form.Form) =>
  checkFormToken(account.id, posted.value(ACCOUNT_TOKEN.field), ACCOUNT_TOKEN.form)

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

/** The locale of a page without navigation: the visitor's when somebody is signed in, otherwise the browser's. */
export const currentLocale = Effect.flatMap(
  current,
  Option.match({ onNone: () => BrowserLocale.locale, onSome: locale })
)

export const stale = Errors.forbidden(textsIn("en").frame.messages.stale)

/**
 * When the token of a form is `stale`, because the person signed in or confirmed anew in another tab, the person comes
 * back to the form's page, which says that nothing has changed (decision accounts-17). A form without a Referer header
 * fails with `stale`.
 */
export const backWhenStale = <E, R>(handle: Effect.Effect<Response, E, R>, comesBackTo: PageToReturnTo = pageOf) =>
  Effect.catchIf(
    handle,
    (error) => error === stale,
    (error) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const isFromPage = request.headers["referer"] !== undefined
        return isFromPage ? Effect.succeed(seeOther(ReturnTo.safe(comesBackTo(request)))) : Effect.fail(error)
      })
  )

/**
 * Like `backWhenStale`, for forms in which people type much: `show` shows the form again with everything that was
 * typed. The form must have `tokenFields`. When the form's page was made for another account, or cannot be shown, for
 * example because the app is not the visitor's, the form fails with `stale`.
 */
export const showingAgain =
  <E2, R2>(visitor: Visitor, show: (form: Fields.Shown, posted: Form.Form) => Effect.Effect<Response, E2, R2>) =>
  <E, R>(handle: Effect.Effect<Response, E, R>) =>
    Effect.catchIf(
      handle,
      (error) => error === stale,
      () =>
        Effect.gen(function* () {
          const posted = yield* Form.read
          if (!(yield* isFromOwnPage(visitor, posted))) return yield* Effect.fail(stale)
          return yield* show(Form.shown(posted, [Fields.EXPIRED]), posted)
        }).pipe(
          Effect.mapBoth({
            onFailure: (error) => (error instanceof StoreError ? error : stale),
            onSuccess: HttpServerResponse.setStatus(stale.statusCode)
          })
        )
    )

/**
 * Reads a posted form and checks its form token. A wrong token fails with 403 (decision A3). `form`: the same name with
 * which `tokenFor` made the token.
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
 * A hidden field with a random id. With this id the service recognises a form that was sent twice. Forms have this
 * field when their answer replaces the session cookie (`once`), or when `addOnce` handles them. Without the id, the
 * second request would fail, or would add the thing a second time.
 */
export const onceField = Effect.map(Entropy.nonce, (text) => Fields.hidden("form_id", text))

/**
 * Identifies the form that was sent; undefined when the form has no valid `form_id`. The token of the form binds the
 * form to the browser, so no other browser can send the same form.
 */
export const sentForm = (form: Form.Form): SentForm =>
  Entropy.isSecret(form.value("form_id")) ? `${form.value("form_token")} ${form.value("form_id")}` : undefined

/**
 * Handles a form that has `onceField`. A person who presses the button twice sends the form twice. The second request
 * has the old session cookie, which no longer works, or already the new cookie. In both cases the service answers the
 * second request like the first request, with a redirect to `to` (decision accounts-21). `makesKnown`: whether the
 * first answer makes the browser known to the account (`KnownBrowser`, decision accounts-14).
 */
export const once = <E, R>(
  { makesKnown, to }: { readonly makesKnown: boolean; readonly to: (form: Form.Form) => string },
  handle: Effect.Effect<Response, E, R>
) =>
  Effect.gen(function* () {
    const again = repeated(to, makesKnown)
    const before = yield* again
    if (Option.isSome(before)) return before.value
    const answer = yield* handle
    const isDone = Credentials.cookieName(yield* HttpOptions) in answer.cookies.cookies
    // Another request with the same form may have succeeded while this request ran. In this case this request failed
    // only because the other request has used up the one-time code in the form, or has ended the old session.
    return isDone ? answer : Option.getOrElse(yield* again, () => answer)
  })

const repeated = (to: (form: Form.Form) => string, makesKnown: boolean) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* Credentials.checkOrigin(request, options)
    const form = yield* Form.read
    const found = yield* findRepeated(sentForm(form))
    if (Option.isNone(found)) return Option.none<Response>()
    const { account, cookie } = found.value
    const present = Option.getOrUndefined(yield* Credentials.sessionCookie)
    const bound = [present, Credentials.visitorToken(request, options)].filter((one) => one !== undefined)
    const owns = yield* Effect.exists(bound, (one) => checkFormToken(one, form.value("form_token")))
    if (!owns && present !== cookie) return Option.none<Response>()
    // A confirmation makes no browser known: a thief with a stolen session could make a browser known that way, and the
    // owner would get no mail about a new browser.
    return Option.some(
      makesKnown
        ? yield* staysSignedIn(account, Option.some(cookie), seeOther(to(form)))
        : Credentials.setSession(seeOther(to(form)), cookie, options)
    )
  })
