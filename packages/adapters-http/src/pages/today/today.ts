import { Account } from "@place-access/domain/accounts"
import { Place } from "@place-access/domain/places"
import { readToday, type Suggestion, suggestPlaces, type Today } from "@place-access/domain/timeline"
import { TimeZone, Words } from "@place-access/domain/shared"
import { Effect } from "effect"
import { addressRule, HttpOptions, portalPath } from "../../HttpOptions.js"
import * as Fields from "../kit/Fields.js"
import { type Html, html, type Value } from "../kit/Html.js"
import { type PageReader, respond } from "../kit/Page.js"
import { ago, count, day, heading, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { bars, tallest } from "./bars.js"

/** The first page of a signed-in person (decision timeline-1). */
export const page = (visitor: Visitor.Visitor, reader: PageReader) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const portal = portalPath(options)
    const { zone } = reader.clock
    const today = yield* readToday(visitor.account, zone ?? TimeZone.UTC)
    const suggested = yield* suggestPlaces(visitor.account.id, zone ?? TimeZone.UTC)
    const token = yield* Visitor.tokenFor(visitor)
    const isConfirmed = Account.countsAsConfirmed(visitor.account, addressRule(options))
    const isNew = today.places === 0 || today.phones === 0 || today.connections === 0
    return respond({
      title: "Today",
      reader,
      current: "/",
      main: html`<h1>Today</h1>
        ${attention(portal, today, isConfirmed)} ${suggested.map((one) => suggestion(portal, one, token))}
        ${isNew && steps(portal, today)}
        ${
          today.phone !== null &&
          html`<div class="pairs">${whereCard(portal, today)} ${phoneCard(portal, today.phone, today)}</div>`
        }
        ${today.ending.length > 0 && endingCard(portal, today)}
        ${(today.connections > 0 || today.asked.length > 0) && askedCard(portal, today, reader)}`
    })
  })

/** What a new person needs, in the order in which it works. Steps that are done stay, with a tick. */
const steps = (portal: string, { connections, phones, places }: Today.Today): Html =>
  html`<section class="card" aria-labelledby="steps">
    <h2 id="steps">Three steps, and apps can ask</h2>
    <ol class="steps">
      ${step(places > 0, "A place", "Draw a circle around your home or your work. Apps learn of your places only.", html`<a class="button" href="${portal}/places">Add a place</a>`)}
      ${step(phones > 0, "A phone", "Install a free app on your phone. It sends us where you are.", html`<a class="button" href="${portal}/devices">Add a phone</a>`)}
      ${step(connections > 0, "An app", "Open the app that wants to know where you are, and choose to connect it. It leads you here, and you decide what it may ask.", null)}
    </ol>
  </section>`

const step = (isDone: boolean, name: string, text: string, action: Value): Html =>
  html`<li class="${isDone && "done"}">
    <div>
      <h3>${name}${isDone && html` <span class="badge">Done</span>`}</h3>
      ${!isDone && html`<p>${text}</p>`} ${!isDone && action !== null && html`<p>${action}</p>`}
    </div>
  </li>`

const NAMES: Readonly<Partial<Record<Suggestion.Suggestion["kind"], readonly [name: string, unit: string]>>> = {
  home: ["Home", "night"],
  work: ["Work", "day"]
}

/** One tap makes the place, by the form of the places. */
const suggestion = (portal: string, { centre, count: number, kind }: Suggestion.Suggestion, token: string): Html => {
  const [name, unit] = NAMES[kind] ?? ["Place", "day"]
  const [lat, lon] = [centre.lat.toFixed(6), centre.lon.toFixed(6)]
  return html`<section class="card" aria-label="A suggestion: ${name}">
    <p class="big">You spent ${Words.count(number, unit)} at one spot. Call it ${name}?</p>
    <p class="soft">
      Only you see this. Apps learn nothing of a place until you share it.
      <a href="${portal}/places?lat=${lat}&lon=${lon}#new">Look at it first</a>
    </p>
    <form method="post" action="${portal}/places" class="actions">
      ${Fields.hidden("form_token", token)} ${Fields.hidden("label", name)} ${Fields.hidden("kind", kind)}
      ${Fields.hidden("lat", lat)} ${Fields.hidden("lon", lon)}
      ${Fields.hidden("radius_m", String(Place.DEFAULT_RADIUS_M))}
      <button>Call it ${name}</button>
    </form>
  </section>`
}

const attention = (portal: string, { flags, phone, now }: Today.Today, isConfirmed: boolean): Html =>
  html`${flags.map(
    ({ appId, appName, calls, expectedDailyVolume, to }) =>
      html`<div class="note warn">
        <h2>${appName} asked unusually often</h2>
        <p>
          ${count(calls)} times in a day, up to ${time(to)}. It had said that ${count(expectedDailyVolume)} a day is the
          most it needs.
        </p>
        <p class="actions"><a href="${portal}/access-log?app=${appId}">See what it asked</a></p>
      </div>`
  )}
  ${
    phone !== null &&
    (phone.state === "silent" || phone.state === "never") &&
    html`<div class="note warn">
      <h2>${phone.device.name} is silent</h2>
      <p>
        ${phone.lastSeenAt === null ? "It has never sent a location." : `It last sent something ${ago(phone.lastSeenAt, now)}.`}
        Apps that ask get old answers, or “unknown”. Often the phone's battery saver has stopped the app: open it once.
      </p>
      <p class="actions"><a href="${portal}/devices">How to set the phone up</a></p>
    </div>`
  }
  ${
    !isConfirmed &&
    html`<div class="note warn">
      <h2>Your address is not confirmed</h2>
      <p>We send no mail there, and you cannot connect an app, until you open the link that we mail you.</p>
      <p class="actions"><a href="${portal}/settings/email">Confirm my address</a></p>
    </div>`
  }`

const whereCard = (portal: string, { now, since, where }: Today.Today): Html =>
  html`<section class="card" aria-labelledby="where">
    <h2 id="where">Where you are</h2>
    <p class="big">
      ${where.state === "at_place" ? where.place.label : where.state === "elsewhere" ? "At none of your places" : "Not known"}
    </p>
    <p class="soft">
      ${since !== null && html`Since ${time(since)}. `}${where.asOf === null ? "No location has arrived that says it." : `By a location from ${ago(where.asOf, now)}.`}
    </p>
    <p class="actions"><a href="${portal}/timeline">My timeline</a></p>
  </section>`

const STATES: Readonly<Record<Today.PhoneState["state"], readonly [badge: string, text: string]>> = {
  fresh: ["", "Sending"],
  late: ["warn", "Late"],
  silent: ["bad", "Silent"],
  never: ["bad", "Nothing sent yet"]
}

const phoneCard = (
  portal: string,
  { device, lastSeenAt, state }: Today.PhoneState,
  { now, phones }: Today.Today
): Html => {
  const [badge, text] = STATES[state]
  return html`<section class="card" aria-labelledby="phone">
    <h2 id="phone">Your phone</h2>
    <p class="big">${device.name} <span class="badge ${badge}">${text}</span></p>
    <p class="soft">
      ${lastSeenAt === null ? "It has not sent a location yet." : html`It sent its location ${ago(lastSeenAt, now)}, ${time(lastSeenAt)}.`}
    </p>
    <p class="actions"><a href="${portal}/devices">${phones === 1 ? "Your phone" : `All ${phones} phones`}</a></p>
  </section>`
}

const WHAT: Readonly<Record<Today.EndingSoon["what"], string>> = {
  connection: "may ask until",
  exact_location: "may see your exact location until"
}

const endingCard = (portal: string, { ending }: Today.Today): Html =>
  html`<section class="card" aria-labelledby="ending">
    <h2 id="ending">Ends soon</h2>
    <ul class="plain rows">
      ${ending.map(
        ({ at, connection, what }) =>
          html`<li>
            <span>${connection.app.name} ${WHAT[what]} ${time(at, day)}</span>
            <a class="button second" href="${portal}/connections/${connection.id}">Look at it</a>
          </li>`
      )}
    </ul>
  </section>`

const askedCard = (portal: string, { asked, days }: Today.Today, { clock }: PageReader): Html => {
  const max = tallest(asked)
  return html`<section class="card" aria-labelledby="asked">
    <h2 id="asked">Who asked</h2>
    ${
      asked.length === 0
        ? html`<p class="soft">No app has asked in the last 14 days.</p>`
        : html`<ul class="plain rows">
            ${asked.map(({ appId, counts, name }) => {
              const present = counts.at(-1) ?? 0
              return html`<li>
                <span
                  ><a href="${portal}/access-log?app=${appId}"><strong>${name}</strong></a
                  ><br /><span class="soft"
                    >${present === 0 ? "Not today" : `${Words.count(present, "time").replace(/^\d+/, count(present))} today`}</span
                  ></span
                >
                ${bars(
                  `${name}, the last 14 days`,
                  days.map(({ from }, index) => ({ name: heading(from, clock), value: counts[index] ?? 0 })),
                  max
                )}
              </li>`
            })}
          </ul>`
    }
    <p class="actions"><a href="${portal}/access-log">What they asked and learned</a></p>
  </section>`
}
