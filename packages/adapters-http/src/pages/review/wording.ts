import type { Purpose } from "@place-access/domain/purposes"
import { Scope, Words } from "@place-access/domain/shared"
import * as Comparison from "../kit/Comparison.js"
import { type Html, html } from "../kit/Html.js"

const volume = (terms: Purpose.PurposeTerms): string =>
  `${Words.count(terms.expectedDailyVolume, "call")} a day and user`

type Worded = Pick<Purpose.Purpose, "approved" | "status" | "terms">

/**
 * The newest wording. When an approved purpose was edited, the wording in force is shown next to it, with the
 * differences marked.
 */
export const wording = ({ approved, status, terms }: Worded): Html => {
  if (approved === null || status === "approved") return plain(terms)
  const pending = status === "in_review" ? "In review" : "Newest"
  return beside(approved, terms, { current: status === "archived" ? "Approved" : "In force", pending })
}

const plain = (terms: Purpose.PurposeTerms): Html =>
  html`<dl>
    <dt>Users read</dt>
    <dd>${terms.description}</dd>
    <dt>Scopes</dt>
    <dd>
      <ul class="plain">
        ${terms.scopes.map((scope) => html`<li><code>${scope}</code></li>`)}
      </ul>
    </dd>
    <dt>Expected</dt>
    <dd>${volume(terms)}</dd>
  </dl>`

const beside = (
  approved: Purpose.PurposeTerms,
  terms: Purpose.PurposeTerms,
  heads: { readonly current: string; readonly pending: string }
): Html => {
  const { current, pending } = Comparison.lists(approved.scopes, terms.scopes)
  return Comparison.table(heads, [
    {
      name: "Users read",
      isChanged: approved.description !== terms.description,
      current: approved.description,
      pending: terms.description
    },
    { name: "Scopes", isChanged: !Scope.same(approved.scopes, terms.scopes), current, pending },
    {
      name: "Expected",
      isChanged: approved.expectedDailyVolume !== terms.expectedDailyVolume,
      current: volume(approved),
      pending: volume(terms)
    }
  ])
}
