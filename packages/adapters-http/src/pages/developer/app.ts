import {
  App,
  AppLife,
  AppProposal,
  RedirectUri,
  changeRedirectUris,
  registerRedirectUris,
  submitApp,
  updateApp,
  withdrawChange
} from "@place-access/domain/apps"
import { createPurpose, listPurposes, Purpose } from "@place-access/domain/purposes"
import type { Conflict } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { HttpOptions } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"

import { addOnce } from "../addOnce.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { pendingChange } from "./appChange.js"
import * as Apps from "./apps.js"
import * as AuthorizeAddress from "./authorizeAddress.js"
import * as Figures from "./figures.js"
import { inLine, linesOf } from "./lines.js"
import * as Outdated from "./outdated.js"
import * as Purposes from "./purposes.js"
import * as Secrets from "./secrets.js"
import { appHead, appPath, changedPath, confirmFirst, DEVELOPER, noteOf, ownApp, may, type TeamApp } from "./shared.js"

const words = texts.developer.app

const LABELS = {
  ...Apps.LABELS,
  ...Purposes.LABELS,
  redirect_uris: texts.developer.parts.redirects
}

/** A form of this page that was posted, and that has mistakes or is outdated. The page shows the form again. */
interface RejectedForm {
  readonly which: "app" | "redirects" | "purpose" | "status"
  readonly form: Fields.Shown
  readonly ticked: ReadonlyArray<string>
  /**
   * 409 when somebody changed the app after the form was opened. Left out for a form with mistakes: the status is then
   * 400.
   */
  readonly status?: 409
}

const overview = (visitor: Visitor.Visitor, app: TeamApp, rejected?: RejectedForm) =>
  Effect.gen(function* () {
    const { authUrl } = yield* HttpOptions
    // Members of the team can read the page of a revoked app, but nobody can change the app.
    const isRevoked = app.revokedAt !== null
    const [edits, holdsSecrets] = [!isRevoked && may(app, "develop"), !isRevoked && may(app, "secrets")]
    const purposes = yield* listPurposes(visitor.account, app.id)
    const reader = yield* Visitor.reader(visitor)
    const query = yield* Form.query
    const token = yield* Visitor.tokenFor(visitor)
    const once = yield* Visitor.onceField
    const tokens = yield* Visitor.tokenFields(visitor)
    const shown = (which: RejectedForm["which"], otherwise: Readonly<Record<string, string>>) =>
      rejected?.which === which ? rejected.form : Fields.fresh(otherwise)
    const path = appPath(app)
    const wanted = AppProposal.wanted(app)
    const [redirects, about] = [
      shown("redirects", { redirect_uris: wanted.redirectUris.join("\n"), revision: String(app.revision) }),
      shown("app", {
        name: wanted.name,
        description: wanted.description,
        homepage_url: wanted.homepageUrl ?? "",
        revision: String(app.revision)
      })
    ]
    const secrets = holdsSecrets ? yield* Secrets.list(visitor, app) : []
    return yield* respond({
      title: app.name,
      reader,
      current: DEVELOPER,
      status: rejected === undefined ? 200 : (rejected.status ?? 400),
      main: html`${appHead(app, "")} ${rejected === undefined && notice(query.value("done"))}
        ${rejected !== undefined && Fields.problems(rejected.form, LABELS)}
        ${holdsSecrets && app.redirectUris.length === 0 && html`<div class="note"><p>${words.next}</p></div>`}
        ${standing(app, token)} ${rejected === undefined && (yield* Figures.section(visitor.account, app, reader))}
        <section class="card" aria-labelledby="credentials">
          <h2 id="credentials">${words.credentials}</h2>
          <dl>
            <dt>${words.clientId}</dt>
            <dd><code>${app.id}</code></dd>
            ${
              holdsSecrets &&
              html`<dt>${words.clientSecret}</dt>
                <dd>${words.clientSecretText}</dd>`
            }
          </dl>
          ${
            holdsSecrets &&
            html`<form method="post" action="${path}/redirect-uris">
              ${tokens}${once} ${Fields.hidden("revision", redirects.values("revision"))}
              ${Fields.textarea(redirects, {
                name: "redirect_uris",
                label: LABELS.redirect_uris,
                hint: words.redirectsHint
              })}
              <div class="actions">
                ${secrets.length > 0 && html`<button>${words.saveRedirects}</button>`}
                <button name="secret" value="new" class="${secrets.length > 0 ? "second" : ""}">
                  ${words.register}
                </button>
              </div>
            </form>`
          }
        </section>
        ${Secrets.section(app, secrets, html`${Fields.hidden("form_token", token)}${once}`)}
        ${!isRevoked && AuthorizeAddress.section(app, purposes, authUrl)}
        ${
          may(app, "develop") &&
          (yield* Purposes.section(
            app,
            purposes,
            visitor,
            shown("purpose", { expected_daily_volume: "100" }),
            rejected?.which === "purpose" ? rejected.ticked : []
          ))
        }
        ${
          edits &&
          html`<section class="card" aria-labelledby="change">
            <h2 id="change">${words.about}</h2>
            <p><a href="${path}/logo">${wanted.logo === null ? words.addLogo : words.changeLogo}</a></p>
            <form method="post" action="${path}">
              ${tokens}${Fields.hidden("revision", about.values("revision"))}
              ${Apps.fields(about, rejected?.which === "app" ? rejected.ticked : wanted.scopes)}
              <button class="second">${words.save}</button>
            </form>
          </section>`
        }`
    })
  })

/** The section with the app's status (such as sandbox or production), the reviewer's note, and the next step. */
const standing = (app: TeamApp, token: string): Html =>
  html`<section class="card" aria-labelledby="standing">
    <h2 id="standing">${app.revokedAt === null ? words.standing[app.status].title : words.revoked}</h2>
    <p>
      ${
        app.revokedAt !== null
          ? words.revokedText(time(app.revokedAt))
          : app.suspendedAt !== null
            ? words.onHold(time(app.suspendedAt))
            : words.standing[app.status].text
      }
      ${app.submission !== null && app.proposal === null && words.waitsSince(time(app.submission.at))}
    </p>
    ${
      app.submission !== null &&
      app.proposal !== null &&
      html`<h3>${words.changes}</h3>
        <p>${words.changesWait(time(app.submission.at))}</p>
        ${pendingChange(app)} ${may(app, "develop") && withdrawal(app, token)}`
    }
    ${noteOf(app.reviewNote, app.status === "sandbox" || app.revokedAt !== null)}
    ${
      app.allowedScopes !== null &&
      app.revokedAt === null &&
      html`<div class="note warn">
        <p>${words.narrowed}</p>
        ${
          App.scopes(app).length === 0
            ? html`<p>${words.narrowedToNone}</p>`
            : html`<ul>
                ${App.scopes(app).map((scope) => html`<li><code>${scope}</code></li>`)}
              </ul>`
        }
      </div>`
    }
    ${
      app.revokedAt === null &&
      app.status === "sandbox" &&
      may(app, "develop") &&
      html`<form method="post" action="${appPath(app)}/submit">
        ${Fields.hidden("form_token", token)}${Fields.hidden("revision", String(app.revision))}
        <button>${words.submit}</button>
      </form>`
    }
  </section>`

/** The form that withdraws the waiting change. For a member who may not withdraw the change, a text says who may. */
const withdrawal = (app: TeamApp, token: string): Html =>
  may(app, AppLife.actionToWithdraw(app))
    ? html`<p>${words.withdrawText}</p>
        <form method="post" action="${appPath(app)}/withdraw">
          ${Fields.hidden("form_token", token)}${Fields.hidden("revision", String(app.revision))}
          <button class="second">${words.withdraw}</button>
        </form>`
    : html`<p>${words.ownersWithdraw}</p>`

/**
 * Shows the page again after a refused form. The page of a revoked app has no forms, so for a revoked app the error
 * page shows the reason.
 */
const refused = <A, E, R>(
  { revokedAt }: TeamApp,
  error: Conflict,
  showAgain: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Conflict, R> => (revokedAt === null ? showAgain : Effect.fail(error))

/** Shows a form again that was opened before somebody changed the app. The page shows the app as it is now. */
const outdated = (
  visitor: Visitor.Visitor,
  which: Exclude<RejectedForm["which"], "purpose">,
  formOf: (app: TeamApp) => Pick<RejectedForm, "form" | "ticked">
) => Effect.flatMap(ownApp(visitor, "read"), (app) => overview(visitor, app, { which, ...formOf(app), status: 409 }))

/** The answer to a form without fields, such as the form that submits the app, when the app's state refuses it. */
const orShowAgain = (visitor: Visitor.Visitor, app: TeamApp, form: Form.Form) => (error: Conflict) =>
  Form.isOutdated(error)
    ? outdated(visitor, "status", () => ({ form: Form.shown(form, [Fields.OUTDATED_ANEW]), ticked: [] }))
    : // The app's status has changed: for example, the person pressed the button twice, or another member of the team or a
      // reviewer was faster. The page shows the present status.
      Effect.succeed(seeOther(appPath(app)))

const show = Visitor.signedIn((visitor) => Effect.flatMap(ownApp(visitor, "read"), (app) => overview(visitor, app)))

const showingAgain = (visitor: Visitor.Visitor, which: RejectedForm["which"], box: string) =>
  Visitor.showingAgain(visitor, (form, { all }) =>
    Effect.flatMap(ownApp(visitor, which === "redirects" ? "secrets" : "develop"), (app) =>
      overview(visitor, app, { which, form, ticked: all(box) })
    )
  )

const change = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "develop")
    const showAgain = (problems: Fields.Shown["problems"]) =>
      overview(visitor, app, { which: "app", form: Form.shown(form, problems), ticked: form.all("scopes") })
    const draft = Form.decode(Apps.Draft, Apps.typed(form))
    if (Either.isLeft(draft)) return yield* showAgain(draft.left)
    const { description, homepage_url: homepageUrl, name, scopes } = draft.right
    const typed = { name, description, homepageUrl, scopes }
    const shown = Number(form.value("revision"))
    const rule = (yield* HttpOptions).addressRule
    return yield* updateApp(visitor.account, app.id, typed, rule, shown).pipe(
      Effect.map((after) => seeOther(changedPath(after))),
      Effect.catchTag("Forbidden", confirmFirst),
      Effect.catchTag("Conflict", (error) =>
        Effect.gen(function* () {
          if (Form.isOutdated(error)) {
            return yield* outdated(visitor, "app", (now) => Outdated.ofApp(form, typed, now))
          }
          const problem = { field: "scopes", message: words.cannotBeChanged(ofDomain(error.reason)) }
          return yield* refused(app, error, showAgain([problem]))
        })
      )
    )
  }).pipe(showingAgain(visitor, "app", "scopes"))
)

const register = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "secrets")
    const lines = linesOf(form.value("redirect_uris"))
    const typed = lines.map(({ text }) => text)
    const uris = Form.decode(RedirectUri.List, typed)
    if (Either.isLeft(uris)) {
      const problems = uris.left.map(({ field, message }) => ({
        field: "redirect_uris",
        message: inLine(lines, field, message)
      }))
      return yield* overview(visitor, app, { which: "redirects", form: Form.shown(form, problems), ticked: [] })
    }
    const shown = Number(form.value("revision"))
    const rule = (yield* HttpOptions).addressRule
    const keepsSecret = form.value("secret") !== "new" && (yield* Secrets.list(visitor, app)).length > 0
    const args = [visitor.account, app.id, uris.right, rule, shown] as const
    const save = Effect.gen(function* () {
      if (keepsSecret) return seeOther(changedPath(yield* changeRedirectUris(...args)))
      const make = Effect.map(registerRedirectUris(...args), (registered) => registered.clientSecret)
      const clientSecret = yield* Secrets.makeOnce(visitor, form, ["redirect-uris", app.id, ...typed], make)
      const after = yield* ownApp(visitor, "secrets")
      const pending = AppProposal.pendingRedirectUris(after)
      const hasEarlier = (yield* Secrets.list(visitor, app)).length > 1
      return yield* Secrets.once(visitor, app, clientSecret, {
        earlier: hasEarlier ? texts.developer.secrets.earlierWorks : null,
        more: html`<dt>${LABELS.redirect_uris}</dt>
          <dd>${after.redirectUris.map((uri) => html`<code>${uri}</code> `)}</dd>
          ${
            pending.length > 0 &&
            html`<dt>${texts.developer.versions.waits}</dt>
              <dd>${pending.map((uri) => html`<code>${uri}</code> `)}<br />${words.redirectsWait}</dd>`
          }`
      })
    })
    return yield* save.pipe(
      Effect.catchTags({
        Forbidden: confirmFirst,
        Conflict: (error) =>
          Form.isOutdated(error)
            ? outdated(visitor, "redirects", (now) => Outdated.ofRedirects(form, typed, now))
            : refused(
                app,
                error,
                overview(visitor, app, {
                  which: "redirects",
                  form: Form.shown(form, [
                    { field: "redirect_uris", message: words.cannotBeRegistered(ofDomain(error.reason)) }
                  ]),
                  ticked: []
                })
              )
      })
    )
  }).pipe(showingAgain(visitor, "redirects", "redirect_uris"))
)

const addPurpose = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "develop")
    const ticked = form.all("purpose_scopes")
    const showAgain = (problems: Fields.Shown["problems"]) =>
      overview(visitor, app, { which: "purpose", form: Form.shown(form, problems), ticked })
    const draft = Form.decode(Purposes.Draft, Purposes.typed(form))
    if (Either.isLeft(draft)) return yield* showAgain(draft.left)
    const { key, ...terms } = draft.right
    const count = RateOfAccount.take(RateOfAccount.CREATION, visitor.account.id)
    const add = Effect.map(
      createPurpose(visitor.account, app.id, { key, terms: Purposes.toTerms(terms) }),
      (purpose) => Purpose.usableTerms(purpose, app.status) !== undefined
    )
    return yield* addOnce(visitor, form, { typed: draft.right, kept: Schema.Boolean, add, count }).pipe(
      Effect.map((isUsable) =>
        seeOther(`${appPath(app)}?done=${isUsable ? "purpose-created" : "purpose-created-unusable"}`)
      ),
      Effect.catchTags({
        Invalid: ({ problems }) => showAgain(Purposes.undeclared(problems)),
        Conflict: (error) =>
          refused(
            app,
            error,
            showAgain([{ field: "key", message: texts.purposes.cannotBeUsed(ofDomain(error.reason)) }])
          )
      })
    )
  }).pipe(showingAgain(visitor, "purpose", "purpose_scopes"))
)

const submit = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "develop")
    const rule = (yield* HttpOptions).addressRule
    return yield* submitApp(visitor.account, app.id, rule, Number(form.value("revision"))).pipe(
      Effect.as(seeOther(`${appPath(app)}?done=app-submitted`)),
      Effect.catchTag("Forbidden", confirmFirst),
      Effect.catchTag("Conflict", orShowAgain(visitor, app, form))
    )
  })
)

const withdraw = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "develop")
    return yield* withdrawChange(visitor.account, app.id, Number(form.value("revision"))).pipe(
      Effect.as(seeOther(`${appPath(app)}?done=change-withdrawn`)),
      Effect.catchTag("Conflict", orShowAgain(visitor, app, form))
    )
  })
)

export const routes = [
  Routes.get(`${DEVELOPER}/apps/:app`, show),
  Routes.post(`${DEVELOPER}/apps/:app`, change),
  Routes.post(`${DEVELOPER}/apps/:app/redirect-uris`, register),
  Routes.post(`${DEVELOPER}/apps/:app/submit`, submit),
  Routes.post(`${DEVELOPER}/apps/:app/withdraw`, withdraw),
  Routes.post(`${DEVELOPER}/apps/:app/purposes`, addPurpose)
]
