import type { ConsentReview } from "@place-access/domain/consent"
import * as Fields from "../kit/Fields.js"
import { flag, Html, html, nothing, type Value } from "../kit/Html.js"
import { time } from "../kit/Time.js"
import { bar, head, LABELS, radios, type View } from "./parts.js"
import * as PlacesPart from "./placesPart.js"

/** The full consent page (Spec §4.1): one form. Nothing is selected in advance that would be hard to take back. */
export const page = (view: View): Html => {
  const { action, formToken, problems, review } = view
  const form: Fields.Shown = { values: () => "", problems }
  const isChange = review.mode === "change"
  return html`${head(view, isChange ? `Change what ${review.app.name} can do?` : `Connect ${review.app.name}?`)}
    <form method="post" action="${action}" class="consent">
      ${Fields.hidden("form_token", formToken)} ${Fields.hidden("mode", review.mode)} ${scopes(view, form)}
      ${PlacesPart.section(view, form)} ${durations(view)}
      <p class="soft small">
        You can take everything back at any time under
        <a href="${view.portalPath}/connections" target="_blank" rel="noopener">Connected apps</a>. Your
        <a href="${view.portalPath}/access-log" target="_blank" rel="noopener">access log</a> lists every
        request.${isChange && html` If you cancel, nothing changes.`}
      </p>
      ${bar(
        html`<button name="decision" value="cancel" class="second">Cancel</button
          ><button name="decision" value="allow">Allow</button>`
      )}
    </form>`
}

const scopes = (view: View, form: Fields.Shown): Html => {
  const standard = view.review.scopes.filter(({ sensitive }) => !sensitive)
  const sensitive = view.review.scopes.filter(({ sensitive }) => sensitive)
  const box = (choice: ConsentReview.ScopeChoice): Html => {
    const ticked = view.choices === undefined ? choice.ticked : view.choices.scopes.includes(choice.scope)
    const id = `scope-${choice.scope}`
    return html`<div class="choice">
      <input type="checkbox" name="scope" value="${choice.scope}" id="${id}" ${flag("checked", ticked)} />
      <div>
        <label for="${id}">${choice.description}</label>
        ${choice.heldBefore !== null && html`<span class="badge${choice.heldBefore && " quiet"}">${choice.heldBefore ? "As now" : "New"}</span>`}
        ${choice.purposes.map((description) => html`<blockquote>${description}</blockquote>`)}
      </div>
    </div>`
  }
  const group = (name: string, legend: string, choices: ReadonlyArray<ConsentReview.ScopeChoice>, more: Value) =>
    choices.length > 0 &&
    html`<fieldset class="${name}" ${name === standardName(view) && html` id="scope"`}>
      <legend ${name === "standard" && sensitive.length === 0 && new Html(' class="unseen"')}>${legend}</legend>
      ${more}
      <div class="choices">${choices.map(box)}</div>
    </fieldset>`
  return html`<section class="card" aria-labelledby="what">
    <h2 id="what">What the app can do</h2>
    ${Fields.groupFault(form, "scope", LABELS.scope)} ${group("standard", "About the places you share", standard, null)}
    ${group(
      "sensitive",
      "Your exact location",
      sensitive,
      html`<p class="small">
        This shows where you are on the map, not only which of your places you are at. What the app says it is for:
      </p>`
    )}
    ${leaving(view.review)}
  </section>`
}

/** The scopes that the app has now and no longer asks for. */
const leaving = ({ leaving: gone }: ConsentReview.ConsentReview): Html =>
  gone.length === 0
    ? nothing
    : html`<div class="note">
        <h3>No longer requested</h3>
        <p>The app has this now. It loses this when you allow the rest:</p>
        <ul>
          ${gone.map(({ description }) => html`<li>${description} <span class="badge quiet">Will be removed</span></li>`)}
        </ul>
      </div>`

/** The first group on the page carries the anchor to which the list of problems links. */
const standardName = ({ review }: View): string =>
  review.scopes.some(({ sensitive }) => !sensitive) ? "standard" : "sensitive"

/** The present end date, for comparison with the new choice. */
const until = (what: string, at: ConsentReview.ConsentReview["sensitiveOptions"][number]["endsAt"]): Html =>
  at === null ? html`At present ${what} has no end date.` : html`At present ${what} ends on ${time(at)}.`

const durations = (view: View): Html => {
  const { previous, scopes: asked, sensitiveOptions, standardOptions } = view.review
  const asksSensitive = asked.some(({ sensitive }) => sensitive)
  const hint = previous === null ? null : until("the connection", previous.standardExpiresAt)
  return html`<section class="card" aria-labelledby="until">
    <h2 id="until">Until when</h2>
    ${radios(view, "standard_days", "The connection as a whole", hint, standardOptions, !asksSensitive)}
    ${
      asksSensitive &&
      radios(
        view,
        "sensitive_days",
        "Your exact location",
        "Counts only if you allow it above. The rest of the connection goes on afterwards.",
        sensitiveOptions
      )
    }
  </section>`
}
