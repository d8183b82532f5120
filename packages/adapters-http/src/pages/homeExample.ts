import type { ReadableEntry } from "@place-access/domain/access-log"
import { Disclosure } from "@place-access/domain/answers"
import { Event } from "@place-access/domain/events"
import {
  AccessLogEntryId,
  AppId,
  ConnectionId,
  RuleId,
  Scope,
  Timestamp,
  TimeZone,
  UserId
} from "@place-access/domain/shared"
import { Tier } from "@place-access/domain/tiers"
import { forReader, Html, html } from "../html/Html.js"
import { type TextFiles, textsIn } from "../languages/index.js"
import { radios } from "./consent/parts.js"
import * as Fields from "./kit/Fields.js"
import { ofDomain } from "./kit/Time.js"
import { table } from "./portal/accessLog.js"

/**
 * The examples on the front page (decision wire-6): a consent page, and the access log of the person who allowed it.
 * Both are drawn by functions of the real pages, so they show what the service does. The app and its user do not exist.
 */

type Words = TextFiles["signIn"]["home"]["example"]

const SCOPES: ReadonlyArray<Scope.Scope> = ["location.place.current", "location.rules.place"]

const choice = (id: string, label: Html, isTicked: boolean): Html =>
  html`<div class="choice">
    ${Fields.tick({ name: "example", value: id, id, isTicked })}
    <div><label for="${id}">${label}</label></div>
  </div>`

/**
 * Writes the times of an example in UTC, but without the letters `UTC`, because the example has no real time zone. So
 * the function writes for a reader whose time zone is UTC: for such a reader, times have no such letters.
 */
const inUtc = (part: Html): Html => new Html(({ language, now }) => part.in({ language, now, zone: TimeZone.UTC }))

/**
 * The example of a short consent page that a person has filled in. The controls of the page are disabled, because the
 * reader has nothing to decide.
 */
export const consent: Html = forReader(({ language, now }) => {
  const { consent: page, signIn } = textsIn(language)
  const words = signIn.home.example
  const options = Tier.StandardDays.literals.map((days) => ({
    days,
    endsAt: Tier.standardExpiry(days, now),
    preselected: days === 30
  }))
  return html`<figure class="example">
    <figcaption class="soft small" aria-hidden="true">${words.caption}</figcaption>
    <fieldset class="preview consent" disabled>
      <legend class="unseen">${words.caption}</legend>
      <h3 class="big">${page.headings.connect(words.app)}</h3>
      <p class="soft">${words.description}</p>
      <fieldset>
        <legend>${page.scopes.heading}</legend>
        <div class="choices">${SCOPES.map((scope) => choice(scope, ofDomain(Scope.describe[scope]), true))}</div>
      </fieldset>
      <fieldset>
        <legend>${page.places.heading}</legend>
        <div class="choices">
          ${choice("example-home", html`${words.home}`, true)} ${choice("example-work", html`${words.work}`, false)}
        </div>
      </fieldset>
      ${inUtc(radios({ choices: undefined, problems: [] }, "standard_days", page.durations.heading, null, options))}
      <div class="decide">
        <button type="button" class="second">${page.cancel}</button><button type="button">${page.allow}</button>
      </div>
    </fieldset>
  </figure>`
})

/** The time of an entry: the given hour and minute (in UTC) of the day before the reader opens the page. */
const yesterday = (now: Timestamp.Timestamp, hours: number, minutes: number): Timestamp.Timestamp =>
  Timestamp.plus(now, -(now % Timestamp.DAY) - Timestamp.DAY + hours * Timestamp.HOUR + minutes * Timestamp.MINUTE)

type Result = Pick<ReadableEntry, "endpoint" | "error" | "disclosed">

const entry =
  (words: Words, now: Timestamp.Timestamp) =>
  ({ disclosed, endpoint, error }: Result, hours: number, minutes: number): ReadableEntry => ({
    userId: UserId.make("usr_example"),
    id: AccessLogEntryId.make(`log_example_${hours}`),
    at: yesterday(now, hours, minutes),
    appId: AppId.make("app_example"),
    appName: words.app,
    connectionId: ConnectionId.make("con_example"),
    endpoint,
    purpose: null,
    status: error === null ? 200 : 403,
    error,
    disclosed,
    times: 1
  })

/**
 * The access log of a day: an arrival, a refused request, and a request during a pause. The example has no real time
 * zone, so the times are written as for a reader in UTC, without the letters `UTC`.
 */
export const accessLog: Html = new Html(({ language, now }) => {
  const locale = { language, now, zone: TimeZone.UTC }
  const words = textsIn(locale.language).signIn.home.example
  const at = entry(words, locale.now)
  const arrival = Event.disclosure({
    type: "place.enter",
    ruleId: RuleId.make("rul_example"),
    target: { placeId: null, label: words.home }
  })
  return table(
    [
      at({ endpoint: "GET /v1/answers/current-place", error: null, disclosed: Disclosure.PAUSED }, 21, 5),
      at({ endpoint: "webhook place.enter", error: null, disclosed: arrival ?? null }, 17, 42),
      at({ endpoint: "GET /v1/locations/latest", error: "missing_scope", disclosed: null }, 8, 15)
    ],
    { locale, details: false, icons: new Map() }
  ).in(locale)
})
