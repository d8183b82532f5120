import type { ConsentReview } from "@place-access/domain/consent"
import { Words } from "@place-access/domain/shared"
import * as Fields from "../kit/Fields.js"
import { type Html, html } from "../kit/Html.js"
import { time } from "../kit/Time.js"
import { head, radios, type View } from "./parts.js"

/** The renewal page (Spec §4.1): how the exact location was used, and one question. Stopping is as easy as going on. */
export const page = (view: View): Html => {
  const { action, formToken, portalPath, review } = view
  const { app, scopes, sensitiveOptions } = review
  const log = `${portalPath}/access-log?app=${app.id}`
  return html`${head(view, `Let ${app.name} go on using your exact location?`)} ${uses(review, log)} ${stays(review)}
    <form method="post" action="${action}">
      ${Fields.hidden("form_token", formToken)} ${Fields.hidden("mode", review.mode)}
      <section class="card" aria-labelledby="renew">
        <h2 id="renew">What you renew</h2>
        <ul>
          ${scopes.filter(({ sensitive }) => sensitive).map(({ description }) => html`<li>${description}</li>`)}
        </ul>
        ${radios(view, "sensitive_days", "Your exact location, counted from now", null, sensitiveOptions)}
      </section>
      ${consequences(review)}
      <div class="decide three">
        <button name="decision" value="cancel" class="second">Not now</button
        ><button name="decision" value="stop" class="stop">Stop sharing</button
        ><button name="decision" value="allow">Renew</button>
      </div>
    </form>`
}

const uses = ({ app, uses: counted }: ConsentReview.ConsentReview, log: string): Html =>
  html`<section class="card" aria-labelledby="uses">
    <h2 id="uses">What it was used for</h2>
    ${
      counted === null || counted.byPurpose.length === 0
        ? html`<p>${app.name} has not used your exact location in the last 90 days.</p>`
        : html`<p class="soft">How often ${app.name} got it in the last 90 days, since ${time(counted.since)}:</p>
            <ul class="plain counts">
              ${counted.byPurpose.map(
                ({ count, description }) =>
                  html`<li>
                    <strong>${count === 0 ? "Not once" : Words.count(count, "time")}</strong>
                    <span>${description}</span>
                  </li>`
              )}
            </ul>`
    }
    <p><a href="${log}" target="_blank" rel="noopener">See every request in your access log</a></p>
  </section>`

const stays = ({ places, previous, scopes }: ConsentReview.ConsentReview): Html => {
  const standard = scopes.filter(({ sensitive }) => !sensitive)
  const shared = places.filter(({ ticked }) => ticked)
  const ends = previous?.standardExpiresAt ?? null
  return html`<section class="card" aria-labelledby="stays">
    <header>
      <h2 id="stays">What stays as it is</h2>
      <span class="badge quiet">Not asked</span>
    </header>
    <dl>
      <dt>It can also</dt>
      <dd>
        ${
          standard.length === 0
            ? "Nothing else"
            : html`<ul class="plain">
                ${standard.map(({ description }) => html`<li>${description}</li>`)}
              </ul>`
        }
      </dd>
      <dt>Places</dt>
      <dd>${shared.length === 0 ? "None" : shared.map(({ label }) => label).join(", ")}</dd>
      <dt>The connection</dt>
      <dd>${ends === null ? "No end date" : html`Ends ${time(ends)}`}</dd>
      <dt>Its rules</dt>
      <dd>Go on</dd>
    </dl>
  </section>`
}

/** Explains each of the three buttons, in the order on the page. */
const consequences = ({ previous, scopes }: ConsentReview.ConsentReview): Html => {
  const ends = previous?.sensitiveExpiresAt ?? null
  const lapsed = previous?.sensitiveLapsed ?? false
  const nothingElse = scopes.every(({ sensitive }) => sensitive)
  return html`<dl class="soft small">
    <dt>Not now</dt>
    <dd>
      Nothing changes.
      ${ends !== null && (lapsed ? html`The app has not had your exact location since ${time(ends)}.` : html`The app has your exact location until ${time(ends)}.`)}
    </dd>
    <dt>Stop sharing</dt>
    <dd>
      ${lapsed ? "The app does not get it back, unless it asks again and you allow it." : "The app loses your exact location at once."}
      ${nothingElse ? "Nothing else is shared with it, so it is disconnected." : "The rest of the connection goes on."}
    </dd>
    <dt>Renew</dt>
    <dd>The app has your exact location ${lapsed && "again, "}until the date that you choose.</dd>
  </dl>`
}
