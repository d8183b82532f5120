import type { ConsentReview } from "@place-access/domain/consent"
import { Timestamp } from "@place-access/domain/shared"
import * as Fields from "../kit/Fields.js"
import { commas, type Html, html, type Value } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { ofDomain, time } from "../kit/Time.js"
import { head, radios, type View } from "./parts.js"

const words = texts.consent.renewal

/**
 * The renewal page (Spec §4.1): it says how the exact location was used, and asks one question. One click stops the use
 * of exact location, just as one click renews it.
 */
export const page = (view: View): Html => {
  const { action, formToken, portalPath, review } = view
  const { app, previous } = review
  const { renewable, unrenewable } = byPurpose(review)
  // A renewal does not change the end date of the connection. Exact location ends with the connection at the latest, so
  // no option ends later than the connection.
  const options = review.sensitiveOptions.map((option) => ({
    ...option,
    endsAt: option.endsAt === null ? null : Timestamp.earlier(option.endsAt, previous?.standardExpiresAt ?? null)
  }))
  const log = `${portalPath}/access-log?app=${app.id}`
  return html`${head(view, texts.consent.headings.renew(app.name))} ${uses(review, log)} ${stays(review)}
    <form method="post" action="${action}">
      ${Fields.hidden("form_token", formToken)} ${Fields.hidden("mode", review.mode)}
      ${unrenewable.length > 0 && renewable.map(({ scope }) => Fields.hidden("scope", scope))}
      <section class="card" id="scope" aria-labelledby="renew">
        <h2 id="renew">${words.what}</h2>
        ${list(renewable)}
        ${
          unrenewable.length > 0 &&
          html`<div class="note">
            <p>${words.noPurpose(app.name)}</p>
            ${list(unrenewable)}
          </div>`
        }
        ${renewable.length > 0 && radios(view, "sensitive_days", words.length, null, options)}
      </section>
      ${consequences(review, renewable.length > 0)}
      <div class="decide ${renewable.length > 0 && "three"}" id="decision">
        <button name="decision" value="cancel" class="second">${words.notNow}</button
        ><button name="decision" value="stop" class="stop">${words.stop}</button
        >${renewable.length > 0 && html`<button name="decision" value="allow">${words.renew}</button>`}
      </div>
    </form>`
}

/**
 * The requested sensitive scopes. A scope cannot be renewed when the app may use no purpose for the scope (Spec §2.4),
 * for example because the app's developer has archived the purpose since the request.
 */
const byPurpose = ({ scopes }: ConsentReview.ConsentReview) => {
  const sensitive = scopes.filter((scope) => scope.sensitive)
  return {
    renewable: sensitive.filter(({ purposes }) => purposes.length > 0),
    unrenewable: sensitive.filter(({ purposes }) => purposes.length === 0)
  }
}

const list = (scopes: ReadonlyArray<ConsentReview.ScopeChoice>): Value =>
  scopes.length > 0 &&
  html`<ul>
    ${scopes.map(({ description }) => html`<li>${ofDomain(description)}</li>`)}
  </ul>`

const uses = ({ app, uses: counted }: ConsentReview.ConsentReview, log: string): Html =>
  html`<section class="card" aria-labelledby="uses">
    <h2 id="uses">${words.uses.heading}</h2>
    ${
      counted === null || counted.byPurpose.length === 0
        ? html`<p>${words.uses.none(app.name)}</p>`
        : html`<p class="soft">${words.uses.howOften(app.name, time(counted.since))}</p>
            <ul class="plain counts">
              ${counted.byPurpose.map(
                ({ count, description }) =>
                  html`<li>
                    <strong>${words.uses.times(count)}</strong>
                    <span>${description}</span>
                  </li>`
              )}
            </ul>`
    }
    <p><a href="${log}" target="_blank" rel="noopener">${words.uses.log}</a></p>
  </section>`

const stays = ({ places, previous, scopes }: ConsentReview.ConsentReview): Html => {
  const standard = scopes.filter(({ sensitive }) => !sensitive)
  const shared = places.filter(({ ticked }) => ticked)
  const ends = previous?.standardExpiresAt ?? null
  return html`<section class="card" aria-labelledby="stays">
    <header>
      <h2 id="stays">${words.stays.heading}</h2>
      <span class="badge quiet">${words.stays.badge}</span>
    </header>
    <dl>
      <dt>${words.stays.canAlso}</dt>
      <dd>
        ${
          standard.length === 0
            ? words.stays.nothingElse
            : html`<ul class="plain">
                ${standard.map(({ description }) => html`<li>${ofDomain(description)}</li>`)}
              </ul>`
        }
      </dd>
      <dt>${words.stays.places}</dt>
      <dd>${shared.length === 0 ? words.stays.noPlaces : commas(shared.map(({ label }) => label))}</dd>
      <dt>${words.stays.connection}</dt>
      <dd>${ends === null ? texts.consent.length("never") : texts.consent.ends(time(ends))}</dd>
      <dt>${words.stays.rules}</dt>
      <dd>${words.stays.rulesGoOn}</dd>
    </dl>
  </section>`
}

/** Explains what each button does, in the order of the buttons on the page. */
const consequences = ({ previous, scopes }: ConsentReview.ConsentReview, canRenew: boolean): Html => {
  const ends = previous?.sensitiveExpiresAt ?? null
  const until = ends === null ? null : Timestamp.earlier(ends, previous?.standardExpiresAt ?? null)
  const lapsed = previous?.sensitiveLapsed ?? false
  const own = words.consequences
  const nothingElse = scopes.every(({ sensitive }) => sensitive)
  return html`<dl class="soft small">
    <dt>${words.notNow}</dt>
    <dd>
      ${own.nothingChanges} ${until !== null && (lapsed ? own.hasNotHad(time(until)) : own.hasUntil(time(until)))}
    </dd>
    <dt>${words.stop}</dt>
    <dd>${lapsed ? own.doesNotGetItBack : own.losesIt} ${nothingElse ? own.isDisconnected : own.restGoesOn}</dd>
    ${
      canRenew &&
      html`<dt>${words.renew}</dt>
        <dd>${lapsed ? own.renewedAgain : own.renewed}</dd>`
    }
  </dl>`
}
