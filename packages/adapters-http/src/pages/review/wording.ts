import type { Purpose } from "@place-access/domain/purposes"
import { Words } from "@place-access/domain/shared"
import { type Html, html, type Value } from "../kit/Html.js"

const CHANGED = html`<br /><span class="badge warn">Changed</span>`

const volume = (terms: Purpose.Terms): string => `${Words.count(terms.expectedDailyVolume, "call")} a day and user`

type Worded = Pick<Purpose.Purpose, "approved" | "archivedAt" | "status" | "terms">

/** The newest wording; for an edit of an approved purpose beside the one that is in force, with what differs marked. */
export const wording = ({ approved, archivedAt, status, terms }: Worded): Html => {
  if (approved === null || status === "approved") return plain(terms)
  const pending = archivedAt === null && status === "in_review" ? "In review" : "Newest"
  return beside(approved, terms, { current: archivedAt === null ? "In force" : "Approved", pending })
}

const plain = (terms: Purpose.Terms): Html =>
  html`<dl>
    <dt>Users read</dt>
    <dd>${terms.description}</dd>
    <dt>For</dt>
    <dd>
      <ul class="plain">
        ${terms.scopes.map((scope) => html`<li><code>${scope}</code></li>`)}
      </ul>
    </dd>
    <dt>Expected</dt>
    <dd>${volume(terms)}</dd>
  </dl>`

const beside = (
  approved: Purpose.Terms,
  terms: Purpose.Terms,
  { current, pending }: { readonly current: string; readonly pending: string }
): Html => {
  // Lines rather than a list: on a phone the cell's label stands beside the first one.
  const scopes = (own: Purpose.Terms, other: Purpose.Terms, badge: Html) =>
    html`${own.scopes.map(
      (scope, index) =>
        html`${index > 0 && html`<br />`}<code>${scope}</code>${!other.scopes.includes(scope) && html` ${badge}`}`
    )}`
  const row = (name: string, isChanged: boolean, now: Value, next: Value) =>
    html`<tr>
      <th scope="row">${name}${isChanged && CHANGED}</th>
      <td data-label="${current}">${now}</td>
      <td data-label="${pending}">${next}</td>
    </tr>`
  const hasOtherScopes =
    terms.scopes.length !== approved.scopes.length || terms.scopes.some((scope) => !approved.scopes.includes(scope))
  return html`<div class="scroll">
    <table class="stack">
      <thead>
        <tr>
          <td></td>
          <th scope="col">${current}</th>
          <th scope="col">${pending}</th>
        </tr>
      </thead>
      <tbody>
        ${row("Users read", approved.description !== terms.description, approved.description, terms.description)}
        ${row("For", hasOtherScopes, scopes(approved, terms, html`<span class="badge quiet">Goes</span>`), scopes(terms, approved, html`<span class="badge">New</span>`))}
        ${row("Expected", approved.expectedDailyVolume !== terms.expectedDailyVolume, volume(approved), volume(terms))}
      </tbody>
    </table>
  </div>`
}
