import { HttpServerRequest } from "@effect/platform"
import { Account } from "@place-access/domain/accounts"
import {
  type ConsentChoices,
  ConsentRequest,
  decideConsent,
  reviewConsent,
  sharesWithoutEnd,
  startConsent
} from "@place-access/domain/consent"
import { type AuthorizePage, type ConsentRefused } from "@place-access/domain/connection"
import { SignUpRequest } from "@place-access/domain/credentials"
import { Rate, Subject } from "@place-access/domain/limits"
import { type AppId, ConsentRequestId, Entropy } from "@place-access/domain/shared"
import { readTeam } from "@place-access/domain/teams"
import { Effect, Option, Schema } from "effect"
import { clientAddress } from "../../edge/ClientAddress.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import * as RateLimit from "../../limits/RateLimit.js"
import { HttpOptions, type ServiceOptions, pathOf, portalPath } from "../../HttpOptions.js"
import type * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html, nothing, type Text, type Value } from "../../html/Html.js"
import { forScript, texts } from "../../languages/index.js"
import { identityOf, respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as ReturnTo from "../kit/ReturnTo.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"
import * as consentView from "./consentView.js"
import * as NewPlace from "./newPlace.js"
import { switchButton, switchForm, type View } from "./parts.js"
import * as renewalView from "./renewalView.js"

const words = texts.consent

const pathFor = (options: ServiceOptions, id: ConsentRequestId): string => `${pathOf(options.authUrl)}/authorize/${id}`

/**
 * The form token of a consent request's page is bound to the session, and to the name that this function returns
 * (decision A3).
 */
const binding = (id: ConsentRequestId): string => `consent ${id}`

/**
 * `GET {auth_url}/authorize` (Spec §4.1): checks and stores the app's request, then shows the request to the user. A
 * user who is not signed in goes to the sign-in page first.
 */
const start = Effect.gen(function* () {
  const options = yield* HttpOptions
  yield* RateLimit.take(Subject.consent(yield* clientAddress), Rate.CONSENTS)
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const parameters = parametersOf(url)
  const visitor = yield* Visitor.current
  if (Option.isSome(visitor)) yield* RateOfAccount.take(RateOfAccount.CONSENT, visitor.value.account.id)
  const request = Effect.tapErrorTag(startConsent(parameters, options.baseUrl), "AuthorizePage", countMadeUp)
  return yield* Option.match(visitor, {
    onNone: () => Effect.map(request, ({ id }) => seeOther(ReturnTo.signIn(pathFor(options, id)))),
    onSome: (present) =>
      Visitor.withFactor(
        present,
        Effect.flatMap(request, ({ id }) => show(present, id))
      )
  })
}).pipe(
  Effect.catchTags({
    // The error is shown as a page: without a valid redirect URI there is no address to which the service could
    // redirect (decision O3).
    AuthorizePage: ({ message }) => brokenLink(message),
    AuthorizeRedirect: ({ uri }) => Effect.succeed(seeOther(uri)),
    ConsentRefused: ({ reason }) => refusalPage(reason, nothing)
  })
)

/**
 * All values of each parameter. The function reads the address in one pass, because a stranger can send an address that
 * repeats one name thousands of times.
 */
const parametersOf = (url: string): Readonly<Record<string, ReadonlyArray<string>>> => {
  const values = new Map<string, Array<string>>()
  for (const [name, value] of new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?")) : "")) {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return Object.fromEntries(values)
}

/**
 * Counts a request with an unusable client id, for example a made-up id or the id of a revoked app, against the limit
 * of the network address. The token endpoint does the same for made-up client ids (decision limits-3).
 */
const countMadeUp = ({ parameter }: AuthorizePage) =>
  parameter === "client_id"
    ? Effect.flatMap(clientAddress, (address) => RateLimit.take(Subject.client(Option.none(), address), Rate.OAUTH))
    : Effect.void

const brokenLink = (message: string) =>
  Effect.flatMap(Visitor.currentLocale, (locale) =>
    respond({
      title: words.brokenLink.title,
      width: "narrow",
      reader: null,
      locale,
      status: 400,
      main: html`<h1>${words.brokenLink.title}</h1>
        <p>${words.brokenLink.text}</p>
        <div class="note">
          <h2>${words.brokenLink.forDeveloper}</h2>
          <p lang="en">${message}</p>
        </div>
        <p><a href="/">${words.toFrontPage}</a></p>`
    })
  )

interface RejectedForm {
  readonly choices?: ConsentChoices
  readonly problems?: Fields.Shown["problems"]
  readonly warning?: Text | undefined
  readonly newPlace?: NewPlace.NewPlaceResult
}

const show = (visitor: Visitor.Visitor, id: ConsentRequestId, rejected: RejectedForm = {}) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const review = yield* reviewConsent(id, visitor.account)
    if (!Account.countsAsConfirmed(visitor.account, options.addressRule)) return yield* confirmFirst(visitor, id)
    const path = pathFor(options, id)
    const place = review.asksPlaces ? yield* NewPlace.fields(visitor, rejected.newPlace ?? NewPlace.FIRST) : null
    // A page has one nonce for all its scripts, so the script of this page gets the nonce of the map's scripts.
    const nonce = place === null ? yield* Entropy.nonce : place.map.needs.nonce
    const problems = [...(rejected.problems ?? []), ...(place?.view.form.problems ?? [])]
    const view: View = {
      review,
      account: visitor.account,
      action: path,
      formToken: yield* Visitor.tokenFor(visitor, binding(id)),
      portalPath: portalPath(options),
      readers: review.app.status === "production" ? [] : yield* readersOf(visitor.account, review.app.id),
      choices: rejected.choices,
      problems,
      warning: rejected.warning ?? null,
      newPlace: place?.view ?? null
    }
    return yield* respond({
      title: words.titles[review.mode](review.app.name),
      width: "middle",
      // The page gets no `reader`, so it has no navigation, which could lead the person away before the decision. The
      // page itself names the account.
      reader: null,
      locale: yield* Visitor.locale(visitor),
      status: problems.length === 0 ? 200 : 400,
      ...(place !== null && { map: place.map.needs }),
      consent: { nonce, texts: forScript(({ consent }) => consent.script) },
      leadsAnywhere: true,
      main: html`${review.mode === "renew_sensitive" ? renewalView.page(view) : consentView.page(view)}
      ${switchForm(path, yield* Visitor.tokenFor(visitor))}`
    })
  }).pipe(Effect.catchTag("ConsentRefused", (error) => refusal(error, visitor, id)))

/**
 * The names of the other owners and developers of an app that is not in production. The person who reads the page is
 * the app's holder, or was its holder until a moment ago.
 */
const readersOf = (account: Account.Account, id: AppId) =>
  readTeam(account, id).pipe(
    Effect.map(({ members }) =>
      members.flatMap(({ isReader, name, role }) => (isReader || role === "viewer" ? [] : [name]))
    ),
    Effect.catchTag("NotFound", () => Effect.succeed([]))
  )

const STATUSES: Readonly<Record<ConsentRefused["reason"], number>> = {
  unknown: 404,
  expired: 410,
  decided: 409,
  sandbox: 403,
  app_revoked: 403,
  app_suspended: 403,
  outdated: 409
}

const refusal = ({ reason }: ConsentRefused, visitor: Visitor.Visitor, id: ConsentRequestId) =>
  Effect.gen(function* () {
    const path = pathFor(yield* HttpOptions, id)
    return yield* refusalPage(
      reason,
      html`<p class="soft small">${words.signedInAs(identityOf(visitor.account))} ${switchButton}</p>
        ${switchForm(path, yield* Visitor.tokenFor(visitor))}`
    )
  })

const refusalPage = (reason: ConsentRefused["reason"], account: Value) =>
  Effect.flatMap(Visitor.currentLocale, (locale) =>
    respond({
      title: words.refusals[reason].title,
      width: "narrow",
      reader: null,
      locale,
      status: STATUSES[reason],
      main: html`<h1>${words.refusals[reason].title}</h1>
        <p>${words.refusals[reason].text}</p>
        ${account}
        <p><a href="/">${words.toFrontPage}</a></p>`
    })
  )

/**
 * The answer for an account whose address is not confirmed: such an account may connect no app (decision accounts-11).
 * The consent request stays open for an hour after it was made, so the person can confirm the address and come back.
 */
const confirmFirst = (visitor: Visitor.Visitor, id: ConsentRequestId) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const { account } = visitor
    return yield* respond({
      title: words.confirmFirst.title,
      width: "narrow",
      reader: null,
      locale: yield* Visitor.locale(visitor),
      status: 403,
      main: html`<h1>${words.confirmFirst.title}</h1>
        <p>${SignUpRequest.isReleased(account) ? texts.signIn.address.none : words.confirmFirst.text(account.email)}</p>
        <p><a class="button" href="${portalPath(options)}/settings/email">${words.confirmFirst.mail}</a></p>
        <p class="soft small">
          ${words.confirmFirst.thenBack}
          <a href="${pathFor(options, id)}">${words.confirmFirst.goOn}</a>
        </p>
        <p class="soft small">${switchButton}</p>
        ${switchForm(pathFor(options, id), yield* Visitor.tokenFor(visitor))}`
    })
  })

const requestId = param("request", ConsentRequestId, "consent request")

/** Shows a stored consent request again, after the user's sign-in or a reload of the page. */
const review = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const isBack = (yield* Form.query).value("done") === ReturnTo.CHOOSE_AGAIN
    return yield* show(visitor, yield* requestId, { warning: isBack ? texts.frame.notKept : undefined })
  })
)

/** When a person must sign in or confirm before the decision is stored, the person returns to this page afterwards. */
const comesBackTo = ({ url }: HttpServerRequest.HttpServerRequest) => Visitor.chooseAgain(url.replace(/\?.*/, ""))

/**
 * Stores the user's decision and redirects to the app, or shows the page again with the problems. After a sign-in the
 * user returns to the address of this form, and not to the address in the Referer: the Referer can name the address of
 * the app's request, which may be too long for `return_to`.
 */
const decide = Visitor.signedIn(
  (visitor) =>
    Effect.gen(function* () {
      const id = yield* requestId
      const form = yield* Visitor.checked(visitor.cookie, binding(id))
      const choices = choicesOf(form)
      const options = yield* HttpOptions
      const isConfirmed = Account.countsAsConfirmed(visitor.account, options.addressRule)
      if (choices.decision === "allow" && !isConfirmed) return yield* confirmFirst(visitor, id)
      if (NewPlace.isMeant(form)) return yield* addPlace(visitor, id, form)
      const redirect = sharesWithoutEnd(choices) ? yield* Visitor.confirmed(visitor, comesBackTo) : null
      if (redirect !== null) return yield* redirect
      return yield* decideConsent(id, visitor.account, choices, options.baseUrl, options.addressRule).pipe(
        Effect.map(({ redirectTo }) => seeOther(redirectTo)),
        Effect.catchTags({
          Forbidden: () => confirmFirst(visitor, id),
          Invalid: ({ problems }) => show(visitor, id, { choices, problems }),
          ConsentRefused: (error) =>
            error.reason === "outdated"
              ? show(visitor, id, { warning: words.changedMeanwhile })
              : refusal(error, visitor, id)
        })
      )
    }),
  comesBackTo
)

/**
 * Tries to add the typed place, and shows the page again. After the place was added, its box is ticked. Boxes that were
 * ticked before stay ticked.
 */
const addPlace = (visitor: Visitor.Visitor, id: ConsentRequestId, form: Form.Form) =>
  Effect.gen(function* () {
    // `reviewConsent` fails when the consent request has expired, is decided or is refused. So in these cases the
    // service adds no place.
    const { mode } = yield* reviewConsent(id, visitor.account)
    const newPlace = yield* NewPlace.add(visitor, form)
    const choices = choicesOf(form)
    // The form is from a page that asked for places. `renew_sensitive` means that the connection has changed since: for
    // example, the user has approved the app in another tab. A renewal page has no checkboxes for places, so it cannot
    // tick the new place. The service nevertheless adds the place to the user's list, because the user asked for it.
    if (mode === "renew_sensitive") return yield* show(visitor, id, { warning: words.changedMeanwhile })
    const places = newPlace.added === null ? choices.places : [...choices.places, newPlace.added.id]
    return yield* show(visitor, id, { choices: { ...choices, places }, newPlace })
  }).pipe(Effect.catchTag("ConsentRefused", (error) => refusal(error, visitor, id)))

const given = (value: string): string | undefined => (value === "" ? undefined : value)

const choicesOf = (form: Form.Form): ConsentChoices => ({
  decision: given(form.value("decision")),
  shown: Option.getOrUndefined(Schema.decodeUnknownOption(ConsentRequest.Mode)(form.value("mode"))),
  scopes: form.all("scope"),
  places: form.all("place"),
  earlier: form.all("earlier"),
  standardDays: given(form.value("standard_days")),
  sensitiveDays: given(form.value("sensitive_days"))
})

export const routes = (options: ServiceOptions) => {
  const base = pathOf(options.authUrl)
  return [
    Routes.get(`${base}/authorize`, start),
    Routes.get(`${base}/authorize/:request`, review),
    Routes.post(`${base}/authorize/:request`, decide)
  ]
}
