import type { Purpose } from "@place-access/domain/purposes"
import { Scope } from "@place-access/domain/shared"
import { texts } from "../../languages/index.js"
import * as Comparison from "../kit/Comparison.js"
import { type Html, html } from "../../html/Html.js"

const words = texts.review.wording

const volume = (terms: Purpose.PurposeTerms): Html => words.volume(terms.expectedDailyVolume)

type Worded = Pick<Purpose.Purpose, "approved" | "status" | "terms">

/**
 * The newest wording of a purpose. When an approved purpose was changed, the wording in force is shown next to the
 * newest wording, with the differences marked.
 */
export const wording = ({ approved, status, terms }: Worded): Html => {
  if (approved === null || status === "approved") return plain(terms)
  const pending = status === "in_review" ? words.inReview : words.newest
  return beside(approved, terms, { current: status === "archived" ? words.approved : words.inForce, pending })
}

const plain = (terms: Purpose.PurposeTerms): Html =>
  html`<dl>
    <dt>${words.users}</dt>
    <dd>${terms.description}</dd>
    <dt>${words.scopes}</dt>
    <dd>
      <ul class="plain">
        ${terms.scopes.map((scope) => html`<li><code>${scope}</code></li>`)}
      </ul>
    </dd>
    <dt>${words.expected}</dt>
    <dd>${volume(terms)}</dd>
  </dl>`

const beside = (
  approved: Purpose.PurposeTerms,
  terms: Purpose.PurposeTerms,
  heads: { readonly current: Html; readonly pending: Html }
): Html => {
  const { current, pending } = Comparison.lists(approved.scopes, terms.scopes)
  return Comparison.table(heads, [
    {
      name: words.users,
      isChanged: approved.description !== terms.description,
      current: approved.description,
      pending: terms.description
    },
    { name: words.scopes, isChanged: !Scope.same(approved.scopes, terms.scopes), current, pending },
    {
      name: words.expected,
      isChanged: approved.expectedDailyVolume !== terms.expectedDailyVolume,
      current: volume(approved),
      pending: volume(terms)
    }
  ])
}
