import type { Account } from "@place-access/domain/accounts"
import type { Pause } from "@place-access/domain/connection"
import type { ConsentChoices, ConsentReview } from "@place-access/domain/consent"
import { SignUpRequest } from "@place-access/domain/credentials"
import type { Timestamp } from "@place-access/domain/shared"
import * as AppLogo from "../appLogo.js"
import * as Fields from "../kit/Fields.js"
import * as PlaceFields from "../kit/PlaceFields.js"
import { flag, Html, html, type Text, type Value, webAddress } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { appPath } from "../developer/shared.js"
import { time } from "../kit/Time.js"

const words = texts.consent
const PAUSE = texts.steering.pause

// This module has the data and the parts that the full consent page and the renewal page share.

export interface View {
  readonly review: ConsentReview.ConsentReview
  readonly account: Account.Account
  /** The path of the page, to which its form is posted. */
  readonly action: string
  readonly formToken: string
  readonly portalPath: string
  /**
   * The names of the other people who can read what is shared: the owners and developers of an app that is not in
   * production (decision teams-6). Empty for an app in production.
   */
  readonly readers: ReadonlyArray<string>
  /**
   * The choices of a posted form, when the page shows them again: the form was rejected, or it added a place. Undefined
   * otherwise: the page then shows the choices that are selected at first.
   */
  readonly choices: ConsentChoices | undefined
  readonly problems: Fields.Shown["problems"]
  /**
   * The reason why the form is shown again. Null when the problems of the form say the reason, or when there is none.
   */
  readonly warning: Text | null
  /**
   * The fields with which the user adds a place on this page. Null when the request asks for no places, and in a
   * preview, which cannot be sent.
   */
  readonly newPlace: NewPlace | null
}

export interface NewPlace {
  readonly form: Fields.Shown
  readonly map: Html
  /** The name of the place that the last form added; null: none. */
  readonly added: string | null
  /** Whether the account has as many places as it can have. If so, a sentence stands in place of the form. */
  readonly isFull: boolean
}

export const LABELS = { ...words.labels, centre: PlaceFields.LABELS.centre }

/** The developer of the app, and the app's web page if it has one. */
const developer = ({ app, developerName }: View["review"]): Html =>
  app.homepageUrl === null
    ? words.who.from(developerName)
    : words.who.fromWithPage(developerName, webAddress(app.homepageUrl))

/** The head of the page: the app with its developer, the problems of the form, and the account that decides. */
export const head = (view: View, heading: Text): Html => {
  const { account, problems, review, warning } = view
  const { app, previous } = review
  return html`<header class="asker">
      ${AppLogo.image(app)}
      <div>
        <h1>${heading}</h1>
        ${status(app.status)}
      </div>
    </header>
    <p class="lead">${app.description}</p>
    ${warning !== null && html`<div class="note warn" role="alert"><p>${warning}</p></div>`}
    ${Fields.problems({ values: () => "", problems }, LABELS)}
    <section class="soft small who-asks" aria-label="${words.who.label}">
      <p>
        ${developer(review)} ${words.who.goBack(review.redirectOrigin)}
        ${previous !== null && words.who.connectedSince(time(previous.connectedAt))}
      </p>
      <p>${words.who.account(account.displayName, SignUpRequest.addressOf(account))} ${switchButton}</p>
    </section>
    ${readers(view)} ${previous !== null && previous.pause !== null && paused(view.portalPath, previous.pause)}
    ${!review.phoneHasSent && noPhone(view.portalPath)}`
}

/**
 * The buttons at the end of a form. A script keeps the buttons visible while the page scrolls, and sums up in words
 * what the user would share. Without the script the buttons stay at the end of the form.
 */
export const bar = (buttons: Html): Html =>
  html`<div class="bar" data-bar>
    <p class="small" data-summary role="status" hidden></p>
    <div class="decide" id="decision">${buttons}</div>
  </div>`

/**
 * The button for a person who wants to use another account. It submits `switchForm`, which is on the same page and
 * signs the person out. After the next sign-in the same consent request is shown again.
 */
export const switchButton = html`<button class="link" form="switch-account">${words.switchAccount}</button>`

export const switchForm = (path: string, signOutToken: string): Html =>
  html`<form id="switch-account" method="post" action="/sign-out">
    ${Fields.hidden("form_token", signOutToken)}${Fields.hidden("return_to", path)}
  </form>`

const status = (app: ConsentReview.ConsentReview["app"]["status"]): Value =>
  app === "production"
    ? null
    : html`<span class="badge warn">${app === "sandbox" ? words.sandbox : words.inReview}</span>`

const readers = ({ readers: [first, ...others], review }: View): Value =>
  first !== undefined &&
  html`<div class="note warn">
    <p data-readers>
      ${others.length === 0 ? words.readers.one(first) : words.readers.more(first, others.length, `${appPath(review.app)}/team`)}
    </p>
  </div>`

const noPhone = (portalPath: string): Html =>
  html`<div class="note warn"><p>${words.noPhone(`${portalPath}/devices`)}</p></div>`

/**
 * Says that the app is paused. Without this note, a person who allows something would wonder why the app gets nothing.
 */
const paused = (portalPath: string, pause: Pause.Pause): Html =>
  html`<div class="note warn">
    <p>
      <strong>${pause.until === null ? PAUSE.untilResumed : PAUSE.until(time(pause.until))}</strong>
      ${words.pauseStays(`${portalPath}/connections`)}
    </p>
  </div>`

/** Radio buttons for how long a tier lasts, each with its end date, or with the text that there is no end date. */
export const radios = (
  { choices, problems }: Pick<View, "choices" | "problems">,
  name: "standard_days" | "sensitive_days",
  legend: Text,
  hint: Value,
  options: ReadonlyArray<{
    readonly days: number | "never"
    readonly endsAt: Timestamp.Timestamp | null
    readonly preselected: boolean
  }>,
  /**
   * `isAlone`: the legend is hidden, because people who see the page read the heading above it. Screen readers still
   * read the legend.
   */
  isAlone = false
): Html => {
  const chosen = name === "standard_days" ? choices?.standardDays : choices?.sensitiveDays
  const shown: Fields.Shown = { values: () => "", problems }
  return html`<fieldset id="${name}" ${Fields.describedByFaults(shown, name)}>
    <legend ${isAlone && new Html(' class="unseen"')}>${legend}</legend>
    ${hint !== null && html`<p class="hint">${hint}</p>`} ${Fields.groupFault(shown, name, LABELS[name])}
    <div class="days">
      <div class="day-row">
        ${options.map(({ days, preselected }) => {
          const id = `${name}-${days}`
          const checked = chosen === undefined ? preselected : chosen === String(days)
          return html`<div class="day-choice">
            <input
              type="radio"
              name="${name}"
              value="${days}"
              id="${id}"
              aria-describedby="${id}-end"
              data-length="${words.lengthInSummary(days)}"
              ${flag("checked", checked)}
            />
            <label for="${id}">${words.length(days)}</label>
          </div>`
        })}
      </div>
      ${options.map(
        ({ days, endsAt }) =>
          html`<p class="ends" id="${name}-${days}-end">
            ${endsAt === null ? words.untilDisconnected : words.ends(time(endsAt))}
          </p>`
      )}
    </div>
  </fieldset>`
}
