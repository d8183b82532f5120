import { HttpServerResponse } from "@effect/platform"
import { listAccessLog } from "@place-access/domain/access-log"
import { listDays, LocalDays } from "@place-access/domain/fixes"
import { listPlaces } from "@place-access/domain/places"
import { Timestamp } from "@place-access/domain/shared"
import { Gpx, readDay, type TimelineDay, Trace } from "@place-access/domain/timeline"
import { Effect } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Folded from "../log/Folded.js"
import * as Form from "../kit/Form.js"
import { type Html, html, type Value } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { count, duration, heading, inText, minute, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { askedDay } from "./askedDay.js"
import * as Calendar from "./calendar.js"
import * as Drawing from "./drawing.js"
import * as EraseForm from "./erase.js"

/** The entries of the access log that the page of a day folds. The log itself has all of them. */
const ENTRIES = 500

/** The day of the query, or today when it has none. */
const asked = (visitor: Visitor.Visitor) =>
  Effect.gen(function* () {
    const form = yield* Form.query
    return { ...(yield* askedDay(visitor, form.value("day"))), done: form.value("done") }
  })

const show = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const { clock, day, done, today, zone } = yield* asked(visitor)
      const userId = visitor.account.id
      const path = `${portal}/timeline`
      const timeline = yield* readDay(userId, day)
      const places = yield* listPlaces(userId)
      const month = Calendar.monthOf(zone, day.date)
      const data = yield* Effect.orDie(listDays(userId, { from: month.from, until: month.until }, zone.id))
      const log = yield* Effect.orDie(listAccessLog(userId, { from: day.from, to: day.until }, ENTRIES, undefined))
      const here = new Set(timeline.segments.flatMap((one) => (one.kind === "stay" ? [one.place.id] : [])))
      const isEmpty =
        timeline.fixes.length === 0 && here.size === 0 && timeline.segments.every(({ kind }) => kind === "gap")
      return respond({
        title: `Timeline of ${day.date}`,
        reader: yield* Visitor.reader(visitor),
        current: path,
        main: html`<h1>My timeline</h1>
          ${notice(done)}
          <div class="beside">
            <div>
              ${arrows(path, zone, day, today, heading(day.from, clock))}
              ${
                isEmpty
                  ? html`<p class="empty">Nothing is known of this day.</p>`
                  : html`${Drawing.draw({ ...timeline, places: places.filter(({ id }) => here.has(id)) })}
                      ${timeline.isCut && html`<p class="note">This day has very many locations. Its end is shown.</p>`}
                      ${!timeline.complete && html`<p class="note">Some visits of this day are not computed yet. Reload the page in a minute.</p>`}
                      ${list(portal, timeline.segments)}
                      <p class="actions">
                        <a class="button second" href="${path}.gpx?day=${day.date}" download>Download this day (GPX)</a>
                      </p>`
              }
            </div>
            <aside aria-label="Other days and this day's data">
              <section class="card">${Calendar.draw({ path, month, data, chosen: day.date, today })}</section>
              ${!isEmpty && totals(path, timeline)} ${!isEmpty && EraseForm.form(portal, day)}
              <section class="card" aria-labelledby="saw">
                <h2 id="saw">Which app saw what</h2>
                ${saw(portal, Folded.fold(log.entries), timeline, day.date)}
              </section>
            </aside>
          </div>`
      })
    })
  )

const arrows = (
  path: string,
  zone: LocalDays.TimeZone,
  day: LocalDays.WholeDay,
  today: string,
  title: string
): Html => {
  const before = LocalDays.dateOf(zone, Timestamp.plus(day.from, -1))
  const after = LocalDays.dateOf(zone, day.until)
  return html`<div class="dayline">
    <a class="button second" href="${path}?day=${before}" aria-label="The day before">←</a>
    <h2>${title}</h2>
    ${
      day.date < today
        ? html`<a class="button second" href="${path}?day=${after}" aria-label="The day after">→</a>`
        : html`<span></span>`
    }
  </div>`
}

const list = (portal: string, segments: ReadonlyArray<Trace.Segment>): Html =>
  html`<ol class="plain timeline">
    ${segments.map((one) => html`<li class="${one.kind}"><span class="when">${time(one.from, minute)}</span>${item(portal, one)}</li>`)}
  </ol>`

const item = (portal: string, one: Trace.Segment): Html => {
  const long = duration(one.until - one.from)
  switch (one.kind) {
    case "stay":
      return html`<div>
        <strong>${one.place.label}</strong>
        <span class="soft"
          >${one.isOpen ? html`${long}, still there` : html`${long}, until ${time(one.until, minute)}`}</span
        >
        ${one.began < one.from && html`<br /><span class="soft small">Since ${time(one.began)}</span>`}
      </div>`
    case "stop":
      return html`<div>
        A stop <span class="soft">${long}, until ${time(one.until, minute)}</span><br />
        <a class="small" href="${portal}/places?lat=${one.centre.lat.toFixed(6)}&lon=${one.centre.lon.toFixed(6)}#new"
          >Make it a place</a
        >
      </div>`
    case "way":
      return html`<div>On the way <span class="soft">${long}, ${distance(one.lengthM)}</span></div>`
    case "erased":
      return html`<div class="soft">You deleted ${long}</div>`
    case "gap":
      return html`<div class="soft">Nothing known for ${long}</div>`
  }
}

const distance = (metres: number): string =>
  metres < 1_000 ? `${Math.round(metres / 10) * 10} m` : `${(metres / 1_000).toFixed(1)} km`

const totals = (path: string, { fixes, segments }: TimelineDay): Html => {
  const ways = segments.reduce((all, one) => all + (one.kind === "way" ? one.lengthM : 0), 0)
  return html`<section class="card" aria-labelledby="totals">
    <h2 id="totals">Totals</h2>
    <dl>
      ${Trace.totals(segments).map(
        ({ millis, place, visits }) =>
          html`<dt><a href="${path}/places/${place.id}">${place.label}</a></dt>
            <dd>${duration(millis)}${visits > 1 && `, ${visits} visits`}</dd>`
      )}
      <dt>On the way</dt>
      <dd>${distance(ways)}</dd>
      <dt>Locations</dt>
      <dd>${count(fixes.length)}</dd>
    </dl>
  </section>`
}

/** For each app of the day what it learned, repeats folded. */
const saw = (portal: string, folded: ReadonlyArray<Folded.Fold>, { apps }: TimelineDay, date: string): Value =>
  apps.length === 0
    ? html`<p class="soft">No app asked on this day.</p>`
    : apps.map(
        ({ appId, count: times, name }) =>
          html`<h3><a href="${portal}/access-log?app=${appId}&from=${date}&to=${date}">${name}</a></h3>
            <ul class="plain small">
              ${folded
                .filter((one) => one.newest.appId === appId)
                .slice(0, SEEN)
                .map((one) => html`<li>${time(one.oldest.at, minute)} ${inText(Folded.words(one))}</li>`)}
            </ul>
            <p class="soft small">${count(times)} ${times === 1 ? "request" : "requests"} in all</p>`
      )

const SEEN = 6

const download = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const { day } = yield* asked(visitor)
    const { fixes } = yield* readDay(visitor.account.id, day)
    return HttpServerResponse.text(Gpx.write(fixes), {
      contentType: "application/gpx+xml",
      headers: { "content-disposition": `attachment; filename="timeline-${day.date}.gpx"`, "cache-control": "no-store" }
    })
  })
)

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [Routes.get(`${portal}/timeline`, show(portal)), Routes.get(`${portal}/timeline.gpx`, download)]
}
