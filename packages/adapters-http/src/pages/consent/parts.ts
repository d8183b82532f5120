import type { Account } from "@place-access/domain/accounts"
import type { ConsentChoices, ConsentReview } from "@place-access/domain/consent"
import type { Timestamp } from "@place-access/domain/shared"
import type { FieldProblem } from "../../wire/Issues.js"
import * as AppLogo from "../appLogo.js"
import * as Fields from "../kit/Fields.js"
import { flag, type Html, html, type Value, webAddress } from "../kit/Html.js"
import { time } from "../kit/Time.js"

/** Parts that the full consent page and the renewal share. */

export interface View {
  readonly review: ConsentReview.ConsentReview
  readonly account: Account.Account
  /** The path of the page, to which its form is posted. */
  readonly action: string
  readonly formToken: string
  readonly portalPath: string
  /** The choices of a form that was rejected and is shown again. */
  readonly choices: ConsentChoices | undefined
  readonly problems: ReadonlyArray<FieldProblem>
  readonly outdated: boolean
}

export const LABELS = {
  decision: "Your decision",
  scope: "What the app may do",
  place: "The places",
  earlier: "Earlier visits",
  standard_days: "How long",
  sensitive_days: "How long for exact location"
}

/** The heading, the problems, and who asks whom. */
export const head = (view: View, heading: string): Html => {
  const { account, outdated, problems, review } = view
  const { app, previous } = review
  return html`${AppLogo.image(app)}
    <h1>${heading}</h1>
    <p class="lead">${app.description}</p>
    ${outdated && html`<div class="note warn" role="alert"><p>Something has changed since you opened this page. Please read it again.</p></div>`}
    ${Fields.problems({ values: () => "", problems }, LABELS)}
    <section class="card" aria-labelledby="who">
      <header>
        <h2 id="who">Who is asking</h2>
        ${status(app.status)}
      </header>
      <dl>
        <dt>App</dt>
        <dd>
          ${app.homepageUrl === null ? app.name : html`<a href="${webAddress(app.homepageUrl)}" rel="noopener noreferrer" target="_blank">${app.name}</a>`}
        </dd>
        <dt>Developer</dt>
        <dd>${review.developerName}</dd>
        <dt>You go back to</dt>
        <dd><code>${review.redirectOrigin}</code></dd>
        <dt>Your account</dt>
        <dd>${account.displayName} (${account.email}) ${switchButton}</dd>
        ${
          previous !== null &&
          html`<dt>Connected since</dt>
            <dd>${time(previous.connectedAt)}</dd>`
        }
      </dl>
    </section>
    ${!review.phoneHasSent && noPhone(view.portalPath)}`
}

/**
 * Signs out and returns to the same request with the next account. The form of the button is `switchForm`, on the same
 * page.
 */
export const switchButton = html`<button class="link" form="switch-account">Use another account</button>`

export const switchForm = (path: string, signOutToken: string): Html =>
  html`<form id="switch-account" method="post" action="/sign-out">
    ${Fields.hidden("form_token", signOutToken)}${Fields.hidden("return_to", path)}
  </form>`

const status = (app: ConsentReview.ConsentReview["app"]["status"]): Value =>
  app === "production"
    ? null
    : html`<span class="badge warn"
        >${app === "sandbox" ? "Sandbox" : "In review"}: only its developer can connect it</span
      >`

const noPhone = (portalPath: string): Html =>
  html`<div class="note warn">
    <p>
      <strong>No phone has sent your location yet.</strong> You can decide all the same; until one does, every answer
      the app gets is “unknown”. Set one up under
      <a href="${portalPath}/devices" target="_blank" rel="noopener">Devices</a>.
    </p>
  </div>`

/** The choices of a number of days, each with its end date. */
export const radios = (
  { choices, problems }: Pick<View, "choices" | "problems">,
  name: "standard_days" | "sensitive_days",
  legend: string,
  hint: Value,
  options: ReadonlyArray<{
    readonly days: number | "never"
    readonly endsAt: Timestamp.Timestamp | null
    readonly preselected: boolean
  }>
): Html => {
  const chosen = name === "standard_days" ? choices?.standardDays : choices?.sensitiveDays
  return html`<fieldset id="${name}">
    <legend>${legend}</legend>
    ${hint !== null && html`<p class="hint">${hint}</p>`}
    ${Fields.groupFault({ values: () => "", problems }, name, LABELS[name])}
    <div class="choices ${options.length === 4 ? "four" : "short"}">
      ${options.map(({ days, endsAt, preselected }) => {
        const id = `${name}-${days}`
        const checked = chosen === undefined ? preselected : chosen === String(days)
        return html`<div class="choice">
          <input type="radio" name="${name}" value="${days}" id="${id}" ${flag("checked", checked)} />
          <div>
            <label for="${id}">${length(days)}</label
            >${endsAt === null ? html`<span class="soft small">Until you disconnect the app</span>` : html`<span class="soft small">Ends ${time(endsAt)}</span>`}
          </div>
        </div>`
      })}
    </div>
  </fieldset>`
}

const length = (days: number | "never"): string =>
  days === "never" ? "No end date" : days === 1 ? "1 day" : `${days} days`
