import type { ConsentReview } from "@place-access/domain/consent"
import { AccountLimits } from "@place-access/domain/quotas"
import * as Fields from "../kit/Fields.js"
import { commas, flag, type Html, html, nothing } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import * as PlaceFields from "../kit/PlaceFields.js"
import * as ScopeGroup from "./ScopeGroup.js"
import { LABELS, type View } from "./parts.js"

const words = texts.consent.places

/**
 * The part of the consent page on which a person chooses the places to share, and can add a place (decision
 * consent-11).
 */

/**
 * When a person has more places than this number, the list has a search field, which a script shows. Without the
 * script, the list shows all places.
 */
const SEARCH_ABOVE = 10

/** The note that the choice about past visits does not limit `location.place.lookup` (decision answers-4). */
export const LOOKUP = html`<p class="hint">${words.lookup}</p>`

export const section = (view: View, form: Fields.Shown): Html => {
  const { newPlace, review } = view
  if (!review.asksPlaces) return kept(review)
  const hasOnlyPlaces = review.scopes.every(({ scope }) => ScopeGroup.of(scope) === "places")
  return html`<section class="card" aria-labelledby="where">
    <h2 id="where">${words.heading}</h2>
    ${newPlace?.added != null && html`<div class="note" role="status"><p>${words.added(newPlace.added)}</p></div>`}
    ${
      review.places.length === 0
        ? html`<p id="place">${words.none}</p>`
        : html`<fieldset id="place" ${Fields.describedByFaults(form, "place", "earlier")}>
            <legend class="unseen">${words.legend}</legend>
            <p class="hint">${hasOnlyPlaces ? words.hint : words.hintByName}</p>
            ${review.scopes.some(({ scope }) => scope === "location.place.lookup") && LOOKUP}
            ${Fields.groupFault(form, "place", LABELS.place)} ${Fields.groupFault(form, "earlier", LABELS.earlier)}
            ${review.places.length > SEARCH_ABOVE && search}
            <div class="choices" id="places">${review.places.map((place) => box(view, place))}</div>
          </fieldset>`
    }
    ${addition(view)}
  </section>`
}

/** The shared places, on a page that asks about no places: a change on this page keeps them (decision consent-14). */
const kept = ({ places }: ConsentReview.ConsentReview): Html => {
  const shared = places.filter(({ ticked }) => ticked)
  const { stays } = texts.consent.renewal
  return shared.length === 0
    ? nothing
    : html`<section class="card" aria-labelledby="stays">
        <header>
          <h2 id="stays">${stays.heading}</h2>
          <span class="badge quiet">${stays.badge}</span>
        </header>
        <dl>
          <dt>${stays.places}</dt>
          <dd>${commas(shared.map(({ label }) => label))}</dd>
        </dl>
      </section>`
}

/** The search in the list of places, shown by its script. The field has no name, so no form sends it. */
const search = html`<div class="search" data-search hidden>
  <label for="find-place">${words.find}</label>
  <input type="search" id="find-place" autocomplete="off" aria-describedby="found" />
  <button type="button" class="second" data-all>${words.tickAll}</button>
  <button type="button" class="second" data-none>${words.untickAll}</button>
  <p class="hint" id="found" role="status"></p>
</div>`

const box = ({ choices }: View, place: ConsentReview.PlaceChoice): Html => {
  const ticked = choices === undefined ? place.ticked : choices.places.includes(place.id)
  const earlier = choices === undefined ? place.earlierTicked : choices.earlier.includes(place.id)
  return html`<div class="choice">
    ${Fields.tick({ name: "place", value: place.id, id: `place-${place.id}`, isTicked: ticked })}
    <div>
      <label for="place-${place.id}"
        >${place.label} <span class="soft small">${texts.places.kinds[place.kind]}</span></label
      >
      <div class="also">
        ${Fields.tick({ name: "earlier", value: place.id, id: `earlier-${place.id}`, isTicked: earlier })}<label
          for="earlier-${place.id}"
          >${words.earlier(place.label)}</label
        >
      </div>
    </div>
  </div>`
}

/**
 * The fields of a new place. The fields belong to the form of the whole page, so the browser sends the ticked boxes
 * with them. In a browser, Enter presses the first submit button of the form. Here, the first submit button is the
 * button that adds the place, so Enter never allows or cancels anything.
 */
const addition = ({ newPlace, review }: View): Html =>
  newPlace === null
    ? nothing
    : newPlace.isFull
      ? html`<p class="soft">${texts.places.noMore(AccountLimits.PLACES.most)}</p>`
      : html`<details class="add" ${flag("open", review.places.length === 0 || newPlace.form.problems.length > 0)}>
          <summary>${words.add}</summary>
          <div class="with-map">
            ${PlaceFields.fields(newPlace.form, newPlace.map, { required: false })}
            <button name="decision" value="add_place" class="second">${words.addThis}</button>
          </div>
        </details>`
