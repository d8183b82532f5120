import { type App, mayDecideAbout, narrowApp } from "@place-access/domain/apps"
import { revokeApp } from "@place-access/domain/staff"
import { inspectApp, listAllApps, listDecisions } from "@place-access/domain/staff"
import { Verdict } from "@place-access/domain/reviews"
import { Scope } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import type { FieldProblem } from "../../wire/Issues.js"
import { paragraphs, scopeBoxes, statusBadge } from "../developer/shared.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { flag, type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import {
  aboutApp,
  ADMIN,
  adminPath,
  appId,
  appTable,
  asAdmin,
  fromCursor,
  history,
  pager,
  reviewPath
} from "../review/shared.js"
import { adminHead } from "./shared.js"

const words = texts.admin.apps

const LABELS = { allowed_scopes: words.scopes, reason: words.reason }

const list = asAdmin((visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const { apps, nextCursor } = yield* fromCursor(query, (page) => listAllApps(visitor.account, page))
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: ADMIN,
      main: html`${adminHead(ADMIN, texts.admin.tabs.apps)}
        <p class="lead">${words.lead}</p>
        ${appTable(apps, adminPath)} ${pager(ADMIN, query, nextCursor)}`
    })
  })
)

/** The form that an admin posted, which has mistakes or is outdated. The page shows the form again. */
interface RejectedForm {
  readonly which: "narrow" | "revoke"
  readonly form: Fields.Shown
  readonly ticked: ReadonlyArray<string>
  readonly status?: 409
}

const appPage = (visitor: Visitor.Visitor, rejected?: RejectedForm) =>
  Effect.gen(function* () {
    const id = yield* appId
    const inspected = yield* inspectApp(visitor.account, id)
    const { app } = inspected
    const query = yield* Form.query
    const { decisions, nextCursor } = yield* fromCursor(query, (page) => listDecisions(visitor.account, id, page))
    const token = yield* Visitor.tokenFor(visitor)
    const mayNarrow = yield* mayDecideAbout(visitor.account, app, "scopes")
    return yield* respond({
      title: texts.admin.titleOf(app.name),
      reader: yield* Visitor.reader(visitor),
      current: ADMIN,
      status: rejected === undefined ? 200 : (rejected.status ?? 400),
      main: html`<p><a href="${ADMIN}">${texts.admin.tabs.apps}</a></p>
        <h1>${app.name}</h1>
        <p class="lead">${statusBadge(app)} <a href="${reviewPath(app)}">${words.toReview}</a></p>
        ${rejected === undefined ? notice(query.value("done")) : Fields.problems(rejected.form, LABELS)}
        ${
          app.revokedAt !== null &&
          html`<div class="note warn">
            <h2>${words.revoked(time(app.revokedAt))}</h2>
            ${app.reviewNote !== null && paragraphs(app.reviewNote)}
          </div>`
        }
        ${aboutApp(inspected)}
        ${app.revokedAt === null && html`${mayNarrow ? narrowing(app, token, rejected) : narrowedByOthers} ${revocation(app, token, rejected)}`}
        ${history(decisions, pager(adminPath(app), query, nextCursor))}`
    })
  })

/**
 * The page shows this text in place of the form that limits the app's scopes, when the service would refuse the form
 * because the admin is in the app's team (decision reviews-1).
 */
const narrowedByOthers = html`<section class="card" aria-labelledby="narrow">
  <h2 id="narrow">${words.allowed}</h2>
  <p>${words.own}</p>
</section>`

const narrowing = (app: App.App, token: string, rejected: RejectedForm | undefined): Html => {
  // When somebody has changed the app's allowed scopes after the admin opened the form, the page shows the present
  // scopes and not the posted scopes.
  const shown = rejected?.which === "narrow" && rejected.status === undefined ? rejected : undefined
  return html`<section class="card" aria-labelledby="narrow">
    <h2 id="narrow">${words.allowed}</h2>
    <p>${words.allowedText}</p>
    <form method="post" action="${adminPath(app)}/scopes">
      ${Fields.hidden("form_token", token)}
      ${Fields.hidden("was_allowed", shown?.form.values("was_allowed") ?? allowedNow(app))}
      ${scopeBoxes(
        shown?.form ?? Fields.fresh(),
        "allowed_scopes",
        Scope.all,
        shown?.ticked ?? app.allowedScopes ?? Scope.all,
        words.allowedHint
      )}
      <button class="second">${words.saveScopes}</button>
    </form>
  </section>`
}

const revocation = (app: App.App, token: string, rejected: RejectedForm | undefined): Html => {
  const isRevocation = rejected?.which === "revoke"
  return html`<section class="card" aria-labelledby="revoke">
    <h2 id="revoke">${words.end}</h2>
    <details${flag("open", isRevocation)}>
      <summary>${words.revoke(app.name)}</summary>
      <div>
        <p>${words.cannotUndo}</p>
        <ul>
          <li>${words.endTokens}</li>
          <li>${words.endRules}</li>
          <li>${words.endUsers}</li>
          <li>${words.endReview}</li>
        </ul>
        <p>${words.endLogs}</p>
        <form method="post" action="${adminPath(app)}/revoke">
          ${Fields.hidden("form_token", token)}
          ${Fields.textarea(isRevocation ? rejected.form : Fields.fresh(), {
            name: "reason",
            label: LABELS.reason,
            hint: words.reasonHint,
            maxlength: 1000
          })}
          <button class="stop">${words.revokeApp}</button>
        </form>
      </div>
    </details>
  </section>`
}

const Allowed = Schema.Struct({ allowed_scopes: Scope.listOf(Scope.Scope) })
const Revocation = Schema.Struct({ reason: Verdict.Note })

/**
 * The app's restriction to the ticked scopes. All scopes ticked means no restriction (null), so that scopes of later
 * releases are allowed too.
 */
const allowedOf = (ticked: ReadonlyArray<Scope.Scope>): ReadonlyArray<Scope.Scope> | null =>
  Scope.all.every((scope) => ticked.includes(scope)) ? null : ticked

const NO_LIMIT = "none"

/**
 * The app's present restriction to certain scopes as text, for a hidden field. No restriction (null) has its own text:
 * it differs from a list of all present scopes, because without a restriction scopes of later releases are allowed too.
 */
const allowedNow = (app: App.App): string => app.allowedScopes?.join(" ") ?? NO_LIMIT

const wasAllowed = (text: string): ReadonlyArray<Scope.Scope> | null =>
  text === NO_LIMIT ? null : text.split(" ").filter(Scope.isScope)

const narrow = asAdmin((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const id = yield* appId
    const ticked = form.all("allowed_scopes")
    const posted = Form.decode(Allowed, { allowed_scopes: ticked })
    if (Either.isLeft(posted)) {
      return yield* appPage(visitor, { which: "narrow", form: Form.shown(form, posted.left), ticked })
    }
    const shown = wasAllowed(form.value("was_allowed"))
    return yield* narrowApp(visitor.account, id, allowedOf(posted.right.allowed_scopes), shown).pipe(
      Effect.map((app) => seeOther(`${adminPath(app)}?done=app-narrowed`)),
      Effect.catchIf(Form.isOutdated, () =>
        appPage(visitor, { which: "narrow", form: Form.shown(form, [Fields.OUTDATED_ANEW]), ticked, status: 409 })
      )
    )
  })
)

const revoke = asAdmin((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const id = yield* appId
    const showAgain = (problems: ReadonlyArray<FieldProblem>) =>
      appPage(visitor, { which: "revoke", form: Form.shown(form, problems), ticked: [] })
    const posted = Form.decode(Revocation, { reason: form.value("reason") })
    if (Either.isLeft(posted)) return yield* showAgain(posted.left)
    const app = yield* revokeApp(visitor.account, id, posted.right.reason)
    return seeOther(`${adminPath(app)}?done=app-revoked`)
  })
)

export const routes = [
  Routes.get(ADMIN, list),
  Routes.get(
    `${ADMIN}/apps/:app`,
    asAdmin((visitor) => appPage(visitor))
  ),
  Routes.post(`${ADMIN}/apps/:app/scopes`, narrow),
  Routes.post(`${ADMIN}/apps/:app/revoke`, revoke)
]
