import type { ConsentReview } from "@place-access/domain/consent"
import * as Fields from "../kit/Fields.js"
import { flag, type Html, html, nothing, type Value } from "../kit/Html.js"
import { time } from "../kit/Time.js"
import { head, LABELS, radios, type View } from "./parts.js"

/** The full consent page (Spec §4.1): one form. Nothing is selected in advance that would be hard to take back. */
export const page = (view: View): Html => {
  const { action, formToken, problems, review } = view
  const form: Fields.Shown = { values: () => "", problems }
  const isChange = review.mode === "change"
  return html`${head(view, isChange ? `Change what ${review.app.name} may do?` : `Connect ${review.app.name}?`)}
    <form method="post" action="${action}">
      ${Fields.hidden("form_token", formToken)} ${Fields.hidden("mode", review.mode)} ${scopes(view, form)}
      ${places(view, form)} ${durations(view)}
      <p class="soft small">
        You can allow less than the app asks for. You can take everything back at any time under
        <a href="${view.portalPath}/connections" target="_blank" rel="noopener">Connected apps</a>. Every request of the
        app is listed in your <a href="${view.portalPath}/access-log" target="_blank" rel="noopener">access log</a>.${
          isChange && html` If you cancel, nothing changes.`
        }
      </p>
      <div class="decide">
        <button name="decision" value="cancel" class="second">Cancel</button
        ><button name="decision" value="allow">Allow</button>
      </div>
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
      <legend>${legend}</legend>
      ${more}
      <div class="choices">${choices.map(box)}</div>
    </fieldset>`
  return html`<section class="card" aria-labelledby="what">
    <h2 id="what">What the app may do</h2>
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
          ${gone.map(({ description }) => html`<li>${description} <span class="badge quiet">Goes</span></li>`)}
        </ul>
      </div>`

/** The first group on the page carries the anchor to which the list of problems links. */
const standardName = ({ review }: View): string =>
  review.scopes.some(({ sensitive }) => !sensitive) ? "standard" : "sensitive"

const places = (view: View, form: Fields.Shown): Html =>
  html`<section class="card" aria-labelledby="where">
    <h2 id="where">Which places it may ask about</h2>
    ${
      view.review.places.length === 0
        ? html`<p id="place">
            You have no places yet. <a href="${view.portalPath}/places" target="_blank" rel="noopener">Make one</a>,
            then load this page again; or share some later.
          </p>`
        : html`<fieldset id="place">
            <legend>Your places</legend>
            <p class="hint">The app learns nothing about your other places.</p>
            ${Fields.groupFault(form, "place", LABELS.place)} ${Fields.groupFault(form, "earlier", LABELS.earlier)}
            <div class="choices">${view.review.places.map((place) => placeBox(view, place))}</div>
          </fieldset>`
    }
  </section>`

const placeBox = ({ choices }: View, place: ConsentReview.PlaceChoice): Html => {
  const ticked = choices === undefined ? place.ticked : choices.places.includes(place.id)
  const earlier = choices === undefined ? place.earlierTicked : choices.earlier.includes(place.id)
  return html`<div class="choice">
    <input type="checkbox" name="place" value="${place.id}" id="place-${place.id}" ${flag("checked", ticked)} />
    <div>
      <label for="place-${place.id}">${place.label} <span class="soft small">${place.kind}</span></label>
      <div class="also">
        <input
          type="checkbox"
          name="earlier"
          value="${place.id}"
          id="earlier-${place.id}"
          ${flag("checked", earlier)}
        /><label for="earlier-${place.id}">Also share past visits to ${place.label}</label>
      </div>
    </div>
  </div>`
}

/** The present end date, for comparison with the new choice. */
const until = (what: string, at: ConsentReview.ConsentReview["sensitiveOptions"][number]["endsAt"]): Html =>
  at === null ? html`${what} has no end date now.` : html`At present ${what} ends on ${time(at)}.`

const durations = (view: View): Html => {
  const { previous, scopes: asked, sensitiveOptions, standardOptions } = view.review
  const hint = previous === null ? null : until("the connection", previous.standardExpiresAt)
  return html`<section class="card" aria-labelledby="until">
    <h2 id="until">Until when</h2>
    ${radios(view, "standard_days", "The connection as a whole", hint, standardOptions)}
    ${
      asked.some(({ sensitive }) => sensitive) &&
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
