import { type App, getOwnedApp } from "@place-access/domain/apps"
import type { Purpose } from "@place-access/domain/purposes"
import { AppId, Scope } from "@place-access/domain/shared"
import { Effect } from "effect"
import { groupFault, type Shown } from "../kit/Fields.js"
import { flag, Html, html } from "../kit/Html.js"
import { param } from "../kit/Params.js"
import type * as Visitor from "../kit/Visitor.js"

export const DEVELOPER = "/developer"

export const appPath = (app: Pick<App.App, "id">): string => `${DEVELOPER}/apps/${app.id}`

/** The visitor's own app that the address names. Somebody else's app answers 404. */
export const ownApp = (visitor: Visitor.Visitor) =>
  Effect.flatMap(param("app", AppId, "app"), (id) => getOwnedApp(visitor.account, id))

export const statusBadge = (app: App.App): Html =>
  app.revokedAt !== null
    ? html`<span class="badge bad">Revoked</span>`
    : app.status === "production"
      ? html`<span class="badge">Production</span>`
      : html`<span class="badge warn">${app.status === "sandbox" ? "Sandbox" : "In review"}</span>`

export const purposeBadge = ({ approved, status }: Purpose.Purpose): Html => {
  switch (status) {
    case "archived":
      return html`<span class="badge quiet">Archived</span>`
    case "draft":
      return html`<span class="badge quiet">Draft</span>${approved !== null && STILL_APPROVED}`
    case "in_review":
      return html`<span class="badge warn">In review</span>${approved !== null && STILL_APPROVED}`
    case "approved":
      return html`<span class="badge">Approved</span>`
    case "rejected":
      return html`<span class="badge bad">Rejected</span>${approved !== null && STILL_APPROVED}`
  }
}

const STILL_APPROVED = html` <span class="badge">Earlier wording in force</span>`

/** A note by a reviewer or admin, with its line breaks. */
export const noteOf = (note: string | null, isRefusal: boolean): Html | false =>
  note !== null &&
  html`<div class="note${isRefusal && " warn"}">
    <p><strong>Note with the decision</strong></p>
    ${paragraphs(note)}
  </div>`

export const paragraphs = (text: string): ReadonlyArray<Html> =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => html`<p>${line}</p>`)

type Tab = "" | "/users" | "/webhooks" | "/deliveries"

/** The head of every page of an app, with its tabs. */
export const appHead = (app: App.App, current: Tab): Html => {
  const tab = (path: Tab, name: string) =>
    html`<a href="${appPath(app)}${path}" ${path === current && new Html(' aria-current="page"')}>${name}</a>`
  return html`<p><a href="${DEVELOPER}">Your apps</a></p>
    <h1>${app.name}</h1>
    <p class="lead">${statusBadge(app)} ${app.description}</p>
    <nav class="tabs" aria-label="${app.name}">
      ${tab("", "Overview")}${tab("/users", "Users")}${tab("/webhooks", "Webhooks")}${tab("/deliveries", "Delivery log")}
    </nav>`
}

/** One checkbox for each scope. `name` is the name of the field, `ticked` the scopes that are ticked at first. */
export const scopeBoxes = (
  form: Shown,
  name: string,
  scopes: ReadonlyArray<Scope.Scope>,
  ticked: ReadonlyArray<string>,
  hint?: string
): Html =>
  html`<fieldset id="${name}">
    <legend>Scopes</legend>
    ${hint !== undefined && html`<p class="hint">${hint}</p>`} ${groupFault(form, name, "Scopes")}
    <div class="choices">
      ${scopes.map(
        (scope) =>
          html`<div class="choice">
            <input
              type="checkbox"
              name="${name}"
              value="${scope}"
              id="${name}-${scope}"
              ${flag("checked", ticked.includes(scope))}
            />
            <div>
              <label for="${name}-${scope}"
                ><code>${scope}</code
                >${Scope.isSensitive(scope) && html` <span class="badge warn">Sensitive</span>`}</label
              ><span class="soft small">${Scope.describe[scope]}</span>
            </div>
          </div>`
      )}
    </div>
  </fieldset>`
