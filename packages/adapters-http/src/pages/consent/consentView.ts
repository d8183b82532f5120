import type { ConsentReview } from "@place-access/domain/consent"
import { Timestamp } from "@place-access/domain/shared"
import * as Fields from "../kit/Fields.js"
import * as ScopeGroup from "./ScopeGroup.js"
import { Html, html, nothing, type Value } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { ofDomain, time } from "../kit/Time.js"
import { bar, head, LABELS, radios, type View } from "./parts.js"
import * as PlacesPart from "./placesPart.js"

const words = texts.consent

/**
 * The full consent page (Spec §4.1): one form. When the page opens, no choice is selected that would be hard to take
 * back.
 */
export const page = (view: View): Html => {
  const { action, formToken, problems, review } = view
  const form: Fields.Shown = { values: () => "", problems }
  const isChange = review.mode === "change"
  return html`${head(view, isChange ? words.headings.change(review.app.name) : words.headings.connect(review.app.name))}
    <form method="post" action="${action}" class="consent">
      ${Fields.hidden("form_token", formToken)} ${Fields.hidden("mode", review.mode)} ${scopes(view, form)}
      ${PlacesPart.section(view, form)} ${durations(view)}
      <p class="soft small">
        ${words.takeBack(`${view.portalPath}/connections`, `${view.portalPath}/access-log`)}
        ${isChange && words.cancelChangesNothing}
      </p>
      ${bar(
        html`<button name="decision" value="cancel" class="second">${words.cancel}</button
          ><button name="decision" value="allow">${words.allow}</button>`
      )}
    </form>`
}

/** The groups of scopes in the order of the page. */
const GROUPS: ReadonlyArray<ScopeGroup.ScopeGroup> = ["places", "areas", "sensitive"]

const scopes = (view: View, form: Fields.Shown): Html => {
  const { scopes: requested } = view.review
  const [first] = GROUPS.filter((group) => requested.some(({ scope }) => ScopeGroup.of(scope) === group))
  const hasOneGroup = requested.every(({ scope }) => ScopeGroup.of(scope) === first)
  const box = (choice: ConsentReview.ScopeChoice): Html => {
    const ticked = view.choices === undefined ? choice.ticked : view.choices.scopes.includes(choice.scope)
    const id = `scope-${choice.scope}`
    return html`<div class="choice">
      ${Fields.tick({ name: "scope", value: choice.scope, id, isTicked: ticked })}
      <div>
        <label for="${id}">${ofDomain(choice.description)}</label>
        ${badge(view.review, choice)}
        ${choice.purposes.map((description) => html`<blockquote>${description}</blockquote>`)}
      </div>
    </div>`
  }
  const group = (name: ScopeGroup.ScopeGroup, legend: Html, more: Value) => {
    const choices = requested.filter(({ scope }) => ScopeGroup.of(scope) === name)
    // Only the first group has the anchor to which the list of problems links.
    return (
      choices.length > 0 &&
      html`<fieldset class="${name}" ${name === first && html` id="scope"`} ${Fields.describedByFaults(form, "scope")}>
        <legend ${name === "places" && hasOneGroup && new Html(' class="unseen"')}>${legend}</legend>
        ${more}
        <div class="choices">${choices.map(box)}</div>
      </fieldset>`
    )
  }
  return html`<section class="card" aria-labelledby="what">
    <h2 id="what">${words.scopes.heading}</h2>
    ${Fields.groupFault(form, "scope", LABELS.scope)} ${group("places", words.scopes.standard, null)}
    ${group("areas", words.scopes.areas, html`<p class="small">${words.scopes.areasHint}</p>`)}
    ${group("sensitive", words.scopes.sensitive, html`<p class="small">${words.scopes.sensitiveHint}</p>`)}
    ${leaving(view.review)}
  </section>`
}

/**
 * A badge that says whether the app has the scope at present. A lapsed scope is granted but allows nothing, so the
 * badge “As now” would be false for a lapsed scope.
 */
const badge = (
  { previous }: ConsentReview.ConsentReview,
  { heldBefore, sensitive }: ConsentReview.ScopeChoice
): Value =>
  heldBefore === null
    ? null
    : !heldBefore
      ? html`<span class="badge">${words.scopes.new}</span>`
      : sensitive && previous?.sensitiveLapsed
        ? html`<span class="badge">${words.scopes.ended}</span>`
        : html`<span class="badge quiet">${words.scopes.asNow}</span>`

/** The note about scopes that the app has at present and does not ask for in the present request. */
const leaving = ({ leaving: gone }: ConsentReview.ConsentReview): Html =>
  gone.length === 0
    ? nothing
    : html`<div class="note">
        <h3>${words.leaving.heading}</h3>
        <p>${words.leaving.text}</p>
        <ul>
          ${gone.map(({ description }) => html`<li>${ofDomain(description)} <span class="badge quiet">${words.leaving.badge}</span></li>`)}
        </ul>
      </div>`

/**
 * The present end date of the connection, or the text that it has none. The person chooses a new end date beside it.
 */
const until = (at: ConsentReview.ConsentReview["sensitiveOptions"][number]["endsAt"]): Html =>
  at === null ? words.durations.connectionHasNoEnd : words.durations.connectionEnds(time(at))

/** The date on which exact location ends or has ended; null when the app holds no sensitive scope. */
const exactUntil = ({ previous }: ConsentReview.ConsentReview): Html | null => {
  const at = previous?.sensitiveExpiresAt ?? null
  if (at === null) return null
  return previous?.sensitiveLapsed
    ? words.durations.sensitiveEnded(time(at))
    : words.durations.sensitiveEnds(time(Timestamp.earlier(at, previous?.standardExpiresAt ?? null)))
}

const durations = (view: View): Html => {
  const { previous, scopes: requested, sensitiveOptions, standardOptions } = view.review
  const asksSensitive = requested.some(({ sensitive }) => sensitive)
  const hint = previous === null ? null : until(previous.standardExpiresAt)
  return html`<section class="card" aria-labelledby="until">
    <h2 id="until">${words.durations.heading}</h2>
    ${radios(view, "standard_days", words.durations.connection, hint, standardOptions, !asksSensitive)}
    ${
      asksSensitive &&
      radios(
        view,
        "sensitive_days",
        words.durations.sensitive,
        html`${exactUntil(view.review)} ${words.durations.sensitiveHint}`,
        sensitiveOptions
      )
    }
  </section>`
}
