import { Account } from "@place-access/domain/accounts"
import { Place } from "@place-access/domain/places"
import { readToday, type Suggestion, suggestPlaces, Today } from "@place-access/domain/timeline"
import { type Timestamp, TimeZone } from "@place-access/domain/shared"
import { Effect } from "effect"
import { type Html, html, type Value } from "../../html/Html.js"
import { HttpOptions, portalPath } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import { bars, tallest } from "../kit/Bars.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type PageReader, respond } from "../kit/Page.js"
import { ago, heading, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import * as Steering from "../steering/controls.js"
import { SILENCE_BADGES } from "../../devices/SilenceBadge.js"

const words = texts.today

/** The first page of a signed-in person (decision timeline-1). */
export const page = (visitor: Visitor.Visitor, reader: PageReader) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const portal = portalPath(options)
    const { zone } = reader.locale
    const today = yield* readToday(visitor.account, zone ?? TimeZone.UTC)
    const suggested = yield* suggestPlaces(visitor.account.id, zone ?? TimeZone.UTC)
    const token = yield* Visitor.tokenFor(visitor)
    const isConfirmed = Account.countsAsConfirmed(visitor.account, options.addressRule)
    const isNew = today.places === 0 || today.phones === 0 || today.connections === 0
    return yield* respond({
      title: words.title,
      reader,
      current: "/",
      main: html`<h1>${words.title}</h1>
        ${notice((yield* Form.query).value("done"))} ${attention(portal, today, isConfirmed)}
        ${suggested.map((one) => suggestion(portal, one, token))} ${today.paused.length > 0 && paused(portal, today)}
        ${isNew && steps(portal, today)}
        ${
          today.phone !== null &&
          html`<div class="pairs">${whereCard(portal, today)} ${phoneCard(portal, today.phone, today)}</div>`
        }
        ${today.ending.length > 0 && endingCard(portal, today)}
        ${(today.connections > 0 || today.activity.length > 0) && activityCard(portal, today)}`
    })
  })

/** The steps that a new person takes, in order. A step that the person has taken stays in the list, with a tick. */
const steps = (portal: string, { connections, phones, places }: Today.Today): Html =>
  html`<section class="card" aria-labelledby="steps">
    <h2 id="steps">${words.steps.heading}</h2>
    <ol class="steps">
      ${step(places > 0, words.steps.place, words.steps.placeText, html`<a class="button" href="${portal}/places">${words.steps.addPlace}</a>`)}
      ${step(phones > 0, words.steps.phone, words.steps.phoneText, html`<a class="button" href="${portal}/devices">${words.steps.addPhone}</a>`)}
      ${step(connections > 0, words.steps.app, words.steps.appText, null)}
    </ol>
  </section>`

const step = (isDone: boolean, name: Html, text: Html, action: Value): Html =>
  html`<li class="${isDone && "done"}">
    <div>
      <h3>${name}${isDone && html` <span class="badge">${words.steps.done}</span>`}</h3>
      ${!isDone && html`<p>${text}</p>`} ${!isDone && action !== null && html`<p>${action}</p>`}
    </div>
  </li>`

/** A place that the service suggests. The form posts to the page of places, so one tap adds the place. */
const suggestion = (
  portal: string,
  { centre, count: number, kind, lastAt }: Suggestion.Suggestion,
  token: string
): Html => {
  const own = words.suggestion
  const name = kind === "home" || kind === "work" ? own.name[kind] : own.name.other
  const [lat, lon] = [centre.lat.toFixed(6), centre.lon.toFixed(6)]
  return html`<section class="card" aria-label="${own.label(name)}">
    <p class="big">${(kind === "home" ? own.nights : own.days)(number, time(lastAt, "day"), name)}</p>
    <p class="soft">${own.onlyYou} <a href="${portal}/places?lat=${lat}&lon=${lon}#new">${own.look}</a></p>
    <form method="post" action="${portal}/places" class="actions">
      ${Fields.hidden("form_token", token)} ${Fields.hidden("label", name)} ${Fields.hidden("kind", kind)}
      ${Fields.hidden("lat", lat)} ${Fields.hidden("lon", lon)}
      ${Fields.hidden("radius_m", String(Place.DEFAULT_RADIUS_M))}
      <button>${own.call(name)}</button>
    </form>
  </section>`
}

const attention = (portal: string, { flags, phone, now }: Today.Today, isConfirmed: boolean): Html =>
  html`${flags.map(
    ({ appId, appName, calls, expectedDailyVolume, to }) =>
      html`<div class="note warn">
        <h2>${words.askedOften.heading(appName)}</h2>
        <p>${words.askedOften.text(calls, time(to), expectedDailyVolume)}</p>
        <p class="actions"><a href="${portal}/access-log?app=${appId}">${words.askedOften.see}</a></p>
      </div>`
  )}
  ${
    phone !== null &&
    (Today.isSilent(phone) || phone.state === "never") &&
    html`<div class="note warn">
      <h2>${words.silent.heading(phone.device.name)}</h2>
      <p>
        ${phone.lastSeenAt === null ? words.silent.never : words.silent.last(ago(phone.lastSeenAt, now))}
        ${words.silent.advice}
      </p>
      <p class="actions"><a href="${portal}/devices">${words.silent.setUp}</a></p>
    </div>`
  }
  ${
    !isConfirmed &&
    html`<div class="note warn">
      <h2>${words.unconfirmed.heading}</h2>
      <p>${words.unconfirmed.text}</p>
      <p class="actions"><a href="${portal}/settings/email">${words.unconfirmed.confirm}</a></p>
    </div>`
  }`

/** The list of paused apps. A person who forgot a pause finds here why an app does nothing. */
const paused = (portal: string, { connections, paused: all }: Today.Today): Html =>
  html`<div class="note warn">
    <h2>${all.length === connections ? words.paused.all(connections) : words.paused.some(all.length, connections)}</h2>
    <ul class="plain">
      ${all.map((one) => html`<li><a href="${portal}/connections/${one.id}">${one.app.name}</a>: ${Steering.pausedUntil(one)}</li>`)}
    </ul>
    <p class="actions"><a href="${portal}/connections">${words.paused.resume(all.length)}</a></p>
  </div>`

const whereCard = (portal: string, { isPast, now, since, where }: Today.Today): Html =>
  html`<section class="card" aria-labelledby="where">
    <h2 id="where">${isPast ? words.where.headingPast : words.where.heading}</h2>
    <p class="big">
      ${where.state === "at_place" ? where.place.label : where.state === "elsewhere" ? words.where.elsewhere : words.where.unknown}
    </p>
    <p class="soft">
      ${since !== null && !isPast && html`${words.where.since(time(since))} `}
      ${where.asOf === null ? words.where.nothing : !isPast && words.where.by(ago(where.asOf, now))}
      ${where.asOf !== null && isPast && known(since, where.asOf, now)}
    </p>
    <p class="actions"><a href="${portal}/timeline">${words.where.timeline}</a></p>
  </section>`

/**
 * Writes from when until when the service knows that the person was where the card says, and how long the phone has
 * been silent since then. Writes only the last time (`asOf`) when the first time (`since`) is unknown or not earlier.
 */
const known = (since: Timestamp.Timestamp | null, asOf: Timestamp.Timestamp, now: Timestamp.Timestamp): Html =>
  html`${since !== null && since < asOf ? words.where.span(time(since), time(asOf)) : words.where.at(time(asOf))}
  ${words.where.silentSince(ago(asOf, now))}`

const phoneCard = (
  portal: string,
  { device, lastSeenAt, state }: Today.PhoneState,
  { now, phones }: Today.Today
): Html => {
  return html`<section class="card" aria-labelledby="phone">
    <h2 id="phone">${words.phone.heading}</h2>
    <p class="big">${device.name} <span class="badge ${SILENCE_BADGES[state]}">${words.phone.states[state]}</span></p>
    <p class="soft">
      ${lastSeenAt === null ? words.phone.nothing : words.phone.sent(ago(lastSeenAt, now), time(lastSeenAt))}
    </p>
    <p class="actions"><a href="${portal}/devices">${phones === 1 ? words.phone.one : words.phone.all(phones)}</a></p>
  </section>`
}

const endingCard = (portal: string, { ending }: Today.Today): Html =>
  html`<section class="card" aria-labelledby="ending">
    <h2 id="ending">${words.ending.heading}</h2>
    <ul class="plain rows">
      ${ending.map(
        ({ at, connection, what }) =>
          html`<li>
            <span>${words.ending[what](connection.app.name, time(at, "day"))}</span>
            <a class="button second" href="${portal}/connections/${connection.id}">${words.ending.look}</a>
          </li>`
      )}
    </ul>
  </section>`

const activityCard = (portal: string, { activity, days }: Today.Today): Html => {
  const max = tallest(activity.flatMap(({ counts }) => counts))
  return html`<section class="card" aria-labelledby="asked">
    <h2 id="asked">${words.asked.heading}</h2>
    ${
      activity.length === 0
        ? html`<p class="soft">${words.asked.nobody}</p>`
        : html`<ul class="plain rows">
            ${activity.map(({ appId, counts, name }) => {
              const present = counts.at(-1) ?? 0
              return html`<li>
                <span
                  ><a href="${portal}/access-log?app=${appId}"><strong>${name}</strong></a
                  ><br /><span class="soft"
                    >${present === 0 ? words.asked.notToday : words.asked.times(present)}</span
                  ></span
                >
                ${bars(
                  { caption: words.asked.caption(name), name: words.asked.day, value: words.asked.entries },
                  days.map(({ from }, index) => ({ name: heading(from), value: counts[index] ?? 0 })),
                  max
                )}
              </li>`
            })}
          </ul>`
    }
    <p class="actions"><a href="${portal}/access-log">${words.asked.log}</a></p>
  </section>`
}
