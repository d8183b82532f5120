import { type App, narrowApp } from "@place-access/domain/apps"
import { revokeApp } from "@place-access/domain/staff"
import { inspectApp, listAllApps, listDecisions } from "@place-access/domain/staff"
import { Verdict } from "@place-access/domain/reviews"
import { Scope } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import type { FieldProblem } from "../../wire/Issues.js"
import { paragraphs, scopeBoxes, statusBadge } from "../developer/shared.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { flag, type Html, html } from "../kit/Html.js"
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

const LABELS = { allowed_scopes: "Scopes", reason: "Reason" }

const list = asAdmin((visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const { apps, nextCursor } = yield* fromCursor(query, (page) => listAllApps(visitor.account, page))
    return respond({
      title: "Admin: apps",
      reader: yield* Visitor.reader(visitor),
      current: ADMIN,
      main: html`${adminHead(ADMIN, "Apps")}
        <p class="lead">
          The apps of all developers, the newest first. Here you restrict the scopes of an app, or end it.
        </p>
        ${appTable(apps, adminPath)} ${pager(ADMIN, query, nextCursor)}`
    })
  })
)

/** The form that an admin posted with mistakes: the page shows it again. */
interface RejectedForm {
  readonly which: "narrow" | "revoke"
  readonly form: Fields.Shown
  readonly ticked: ReadonlyArray<string>
}

const appPage = (visitor: Visitor.Visitor, again?: RejectedForm) =>
  Effect.gen(function* () {
    const id = yield* appId
    const inspected = yield* inspectApp(visitor.account, id)
    const { app } = inspected
    const query = yield* Form.query
    const { decisions, nextCursor } = yield* fromCursor(query, (page) => listDecisions(visitor.account, id, page))
    const token = yield* Visitor.tokenFor(visitor)
    return respond({
      title: `Admin: ${app.name}`,
      reader: yield* Visitor.reader(visitor),
      current: ADMIN,
      status: again === undefined ? 200 : 400,
      main: html`<p><a href="${ADMIN}">Apps</a></p>
        <h1>${app.name}</h1>
        <p class="lead">${statusBadge(app)} <a href="${reviewPath(app)}">Its purposes and review</a></p>
        ${again === undefined ? notice(query.value("done")) : Fields.problems(again.form, LABELS)}
        ${
          app.revokedAt !== null &&
          html`<div class="note warn">
            <h2>Revoked ${time(app.revokedAt)}</h2>
            ${app.reviewNote !== null && paragraphs(app.reviewNote)}
          </div>`
        }
        ${aboutApp(inspected)}
        ${app.revokedAt === null && html`${narrowing(app, token, again)} ${revocation(app, token, again)}`}
        ${history(decisions, pager(adminPath(app), query, nextCursor))}`
    })
  })

const narrowing = (app: App.App, token: string, again: RejectedForm | undefined): Html =>
  html`<section class="card" aria-labelledby="narrow">
    <h2 id="narrow">Allowed scopes</h2>
    <p>
      Take a tick away, and the app loses the scope at once: for users who allowed it too, and even when the developer
      declares it again. Put back, it works again for whoever allowed it. The developer gets a mail.
    </p>
    <form method="post" action="${adminPath(app)}/scopes">
      ${Fields.hidden("form_token", token)}
      ${scopeBoxes(
        again?.which === "narrow" ? again.form : Fields.fresh(),
        "allowed_scopes",
        Scope.all,
        again?.which === "narrow" ? again.ticked : (app.allowedScopes ?? Scope.all),
        "All ticked: no restriction. None ticked: the app's tokens open nothing."
      )}
      <button class="second">Save scopes</button>
    </form>
  </section>`

const revocation = (app: App.App, token: string, again: RejectedForm | undefined): Html => {
  const isAgain = again?.which === "revoke"
  return html`<section class="card" aria-labelledby="revoke">
    <h2 id="revoke">End the app</h2>
    <details${flag("open", isAgain)}>
      <summary>Revoke ${app.name} for good</summary>
      <div>
        <p><strong>This cannot be undone.</strong> From that moment:</p>
        <ul>
          <li>none of its access tokens, refresh tokens and codes works;</li>
          <li>its rules are stopped, and deliveries that wait are not sent;</li>
          <li>every user is disconnected, and nobody can connect it again;</li>
          <li>its purposes and the app itself leave the review queue.</li>
        </ul>
        <p>Its users’ access logs keep its requests. The developer gets an e-mail with the reason.</p>
        <form method="post" action="${adminPath(app)}/revoke">
          ${Fields.hidden("form_token", token)}
          ${Fields.textarea(isAgain ? again.form : Fields.fresh(), {
            name: "reason",
            label: LABELS.reason,
            hint: "The developer reads it.",
            maxlength: 1000
          })}
          <button class="stop">Revoke app</button>
        </form>
      </div>
    </details>
  </section>`
}

const Allowed = Schema.Struct({ allowed_scopes: Schema.Array(Scope.Scope) })
const Revocation = Schema.Struct({ reason: Verdict.Note })

/**
 * The restriction for the ticked scopes. All scopes ticked means no restriction, so that scopes of later releases are
 * allowed too.
 */
const allowedOf = (ticked: ReadonlyArray<Scope.Scope>): ReadonlyArray<Scope.Scope> | null =>
  Scope.all.every((scope) => ticked.includes(scope)) ? null : ticked

const narrow = asAdmin((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const id = yield* appId
    const ticked = form.all("allowed_scopes")
    const posted = Form.decode(Allowed, { allowed_scopes: ticked })
    if (Either.isLeft(posted)) {
      return yield* appPage(visitor, { which: "narrow", form: Form.shown(form, posted.left), ticked })
    }
    const app = yield* narrowApp(visitor.account, id, allowedOf(posted.right.allowed_scopes))
    return seeOther(`${adminPath(app)}?done=app-narrowed`)
  })
)

const revoke = asAdmin((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const id = yield* appId
    const again = (problems: ReadonlyArray<FieldProblem>) =>
      appPage(visitor, { which: "revoke", form: Form.shown(form, problems), ticked: [] })
    const posted = Form.decode(Revocation, { reason: form.value("reason") })
    if (Either.isLeft(posted)) return yield* again(posted.left)
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
