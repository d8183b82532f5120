import { Account } from "@place-access/domain/accounts"
import { type App, getAppWithRole } from "@place-access/domain/apps"
import type { Purpose } from "@place-access/domain/purposes"
import { AppId, type Forbidden, Scope } from "@place-access/domain/shared"
import { Role } from "@place-access/domain/teams"
import { Effect } from "effect"
import { HttpOptions, portalPath } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import { describedByFaults, groupFault, type Shown, tick } from "../kit/Fields.js"
import { Html, html, type Value } from "../../html/Html.js"
import { seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import { ofDomain } from "../kit/Time.js"
import type * as Visitor from "../kit/Visitor.js"

const words = texts.developer

export const DEVELOPER = "/developer"

export const appPath = (app: Pick<App.App, "id">): string => `${DEVELOPER}/apps/${app.id}`

/**
 * The address to which the browser is redirected after a form was saved: the page of the app, with a notice that says
 * whether the change waits for a reviewer.
 */
export const changedPath = (app: App.App): string =>
  `${appPath(app)}?done=${app.proposal === null ? "app-changed" : "app-change-waits"}`

/**
 * Redirects to the settings of the e-mail address when the service has refused a review because the account's address
 * is not confirmed (decision accounts-11).
 */
export const confirmFirst = (error: Forbidden) =>
  error.reason === Account.UNCONFIRMED
    ? Effect.map(HttpOptions, (options) => seeOther(`${portalPath(options)}/settings/email`))
    : Effect.fail(error)

/** An app, with the visitor's role in its team. */
export type TeamApp = App.App & { readonly role: Role.TeamRole }

/**
 * The app that the address names, if the visitor is in its team. For any other app the answer is 404. A member whose
 * role does not allow the action gets 403.
 */
export const ownApp = (visitor: Visitor.Visitor, action: Role.Action) =>
  Effect.gen(function* () {
    const id = yield* param("app", AppId, "app")
    const { app, role } = yield* getAppWithRole(visitor.account, id, action)
    const own: TeamApp = { ...app, role }
    return own
  })

/** Whether the visitor may do the action with the app. Pages leave out a form when the service would refuse it. */
export const may = ({ role }: Pick<TeamApp, "role">, action: Role.Action): boolean => Role.can(role, action)

/**
 * The badges with the status of an app. A further badge says that the app is on hold because its holder is suspended
 * (decision staff-1).
 */
export const statusBadge = (app: App.App): Html =>
  app.revokedAt !== null
    ? html`<span class="badge bad">${words.badges.revoked}</span>`
    : html`${
        app.status === "production"
          ? html`<span class="badge">${words.badges.states.production}</span>`
          : html`<span class="badge warn">${words.badges.states[app.status]}</span>`
      }${app.suspendedAt !== null && html` <span class="badge bad">${words.badges.onHold}</span>`}`

/**
 * The badge with the state of a purpose. When an app is revoked, the submission of its purpose stays stored, but nobody
 * can decide about the purpose any more. So the badge of this purpose does not say that it is in review.
 */
export const purposeBadge = (
  { approved, status }: Purpose.Purpose,
  { revokedAt }: Pick<App.App, "revokedAt">
): Html => {
  const name = texts.purposes.badges[status]
  switch (status) {
    case "archived":
      return html`<span class="badge quiet">${name}</span>`
    case "draft":
      return html`<span class="badge quiet">${name}</span>${approved !== null && STILL_APPROVED}`
    case "in_review":
      return html`${revokedAt === null && html`<span class="badge warn">${name}</span>`}${approved !== null && STILL_APPROVED}`
    case "approved":
      return html`<span class="badge">${name}</span>`
    case "rejected":
      return html`<span class="badge bad">${name}</span>${approved !== null && STILL_APPROVED}`
  }
}

const STILL_APPROVED = html` <span class="badge">${texts.purposes.earlierInForce}</span>`

/** A note by a reviewer or admin, if any, with its line breaks. */
export const noteOf = (note: string | null, isRefusal: boolean): Html | false =>
  note !== null &&
  html`<div class="note${isRefusal && " warn"}">
    <p><strong>${words.noteWithDecision}</strong></p>
    ${paragraphs(note)}
  </div>`

export const paragraphs = (text: string): ReadonlyArray<Html> =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => html`<p>${line}</p>`)

type Tab = "" | "/users" | "/calls" | "/webhooks" | "/deliveries" | "/test-people" | "/team"

/** The head of an app's page, with the tabs that lead to the app's other pages. */
export const appHead = (app: TeamApp, current: Tab): Html => {
  const tab = (path: Tab, name: Html) =>
    html`<a href="${appPath(app)}${path}" ${path === current && new Html(' aria-current="page"')}>${name}</a>`
  return html`<p><a href="${DEVELOPER}">${words.yourApps}</a></p>
    <h1>${app.name}</h1>
    <p class="lead">${statusBadge(app)} ${app.description}</p>
    <nav class="tabs" aria-label="${app.name}">
      ${tab("", words.tabs.overview)}${may(app, "develop") && tab("/users", words.tabs.users)}${tab("/calls", words.tabs.calls)}
      ${tab("/webhooks", words.tabs.webhooks)}${tab("/deliveries", words.tabs.deliveries)}
      ${may(app, "develop") && tab("/test-people", words.tabs.testPeople)} ${tab("/team", words.tabs.team)}
    </nav>`
}

/** One checkbox for each scope. `name` is the name of the field, `ticked` the scopes that are ticked at first. */
export const scopeBoxes = (
  form: Shown,
  name: string,
  scopes: ReadonlyArray<Scope.Scope>,
  ticked: ReadonlyArray<string>,
  hint?: Value
): Html =>
  html`<fieldset id="${name}" ${describedByFaults(form, name)}>
    <legend>${words.parts.scopes}</legend>
    ${hint !== undefined && html`<p class="hint">${hint}</p>`} ${groupFault(form, name, words.parts.scopes)}
    <div class="choices">
      ${scopes.map(
        (scope) =>
          html`<div class="choice">
            ${tick({ name, value: scope, id: `${name}-${scope}`, isTicked: ticked.includes(scope) })}
            <div>
              <label for="${name}-${scope}"
                ><code>${scope}</code
                >${Scope.isSensitive(scope) && html` <span class="badge warn">${words.badges.sensitive}</span>`}</label
              ><span class="soft small">${ofDomain(Scope.describe[scope])}</span>
            </div>
          </div>`
      )}
    </div>
  </fieldset>`
