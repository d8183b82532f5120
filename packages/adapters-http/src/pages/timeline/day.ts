import { HttpServerResponse } from "@effect/platform"
import { listAccessLog } from "@place-access/domain/access-log"
import { listDays, LocalDays } from "@place-access/domain/fixes"
import { type Geometry, listPlaces } from "@place-access/domain/places"
import { Timestamp } from "@place-access/domain/shared"
import { Gpx, readDay, readTracks, type TimelineDay, Trace } from "@place-access/domain/timeline"
import { Effect } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Folded from "../log/Folded.js"
import * as Form from "../kit/Form.js"
import { type Html, html, type Value } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { nearestTown } from "../land/Land.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { count, duration, heading, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { requestedDay } from "./requestedDay.js"
import * as Calendar from "./calendar.js"
import * as Drawing from "./drawing.js"
import * as EraseForm from "./erase.js"

const words = texts.timeline

/** The page of a day reads at most this number of entries of the access log. The log's own pages have all entries. */
const ENTRIES = 500

/** The day that the query names; without a day in the query, today. */
const dayOfQuery = (visitor: Visitor.Visitor) =>
  Effect.gen(function* () {
    const form = yield* Form.query
    return { ...(yield* requestedDay(visitor, form.value("day"))), done: form.value("done") }
  })

const show = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const { day, done, locale, today, zone } = yield* dayOfQuery(visitor)
      const userId = visitor.account.id
      const path = `${portal}/timeline`
      const timeline = yield* readDay(userId, day)
      const places = yield* listPlaces(userId)
      const month = Calendar.monthOf(zone, day.date)
      // The two calls fail with `Invalid` only for wrong arguments. The arguments here are always right, so this
      // failure would be a bug.
      const days = listDays(userId, { from: month.from, until: month.until }, zone.id)
      const data = yield* Effect.catchTag(days, "Invalid", Effect.die)
      const newest = listAccessLog(userId, { from: day.from, to: day.until }, ENTRIES, undefined)
      const log = yield* Effect.catchTag(newest, "Invalid", Effect.die)
      const here = new Set(timeline.segments.flatMap((one) => (one.kind === "stay" ? [one.place.id] : [])))
      // The number of all readings of the day, as the calendar counts them. The line on the map may have fewer readings
      // (decision timeline-2).
      const readings = data.find(({ date }) => date === day.date)?.fixes ?? 0
      const isEmpty =
        timeline.fixes.length === 0 && here.size === 0 && timeline.segments.every(({ kind }) => kind === "gap")
      return yield* respond({
        title: words.titleOf(heading(day.from)),
        reader: yield* Visitor.reader(visitor),
        current: path,
        main: html`<h1>${words.heading}</h1>
          ${notice(done)}
          <div class="beside">
            <div>
              ${arrows(path, zone, day, today, heading(day.from))} ${Calendar.row(path, zone, day, today)}
              ${
                isEmpty
                  ? html`<p class="empty">${readings === 0 ? words.nothingKnown : words.nothingOnMap}</p>`
                  : html`${Drawing.draw({ ...timeline, places: places.filter(({ id }) => here.has(id)) })}
                    ${timeline.isCut && html`<p class="note">${words.isCut}</p>`}
                    ${!timeline.complete && html`<p class="note">${words.isIncomplete}</p>`}
                    ${list(portal, timeline.segments)}`
              }
              ${
                (!isEmpty || readings > 0) &&
                html`<p class="actions">
                  <a class="button second" href="${path}.gpx?day=${day.date}" download>${words.download}</a>
                  <a class="button second" href="#erase">${words.erase.part}</a>
                </p>`
              }
              ${readings > Gpx.MOST_READINGS && html`<p class="note">${words.fileIsCut(Gpx.MOST_READINGS)}</p>`}
            </div>
            <aside aria-label="${words.aside}">
              <section class="card">${Calendar.draw({ path, month, data, chosen: day.date, today })}</section>
              ${!isEmpty && totals(path, timeline, readings)}
              ${(!isEmpty || readings > 0) && EraseForm.form(portal, zone, day, locale.now)}
              <section class="card" aria-labelledby="saw">
                <h2 id="saw">${words.saw.heading}</h2>
                ${saw(portal, Folded.fold(log.entries), timeline, day.date)}
              </section>
            </aside>
          </div>`
      })
    })
  )

const arrows = (path: string, zone: LocalDays.TimeZone, day: LocalDays.WholeDay, today: string, title: Html): Html => {
  const before = LocalDays.dateOf(zone, Timestamp.plus(day.from, -1))
  const after = LocalDays.dateOf(zone, day.until)
  return html`<div class="dayline">
    <a class="button second" href="${path}?day=${before}" aria-label="${words.dayBefore}">←</a>
    <h2>${title}</h2>
    ${
      day.date < today
        ? html`<a class="button second" href="${path}?day=${after}" aria-label="${words.dayAfter}">→</a>`
        : html`<span></span>`
    }
  </div>`
}

const list = (portal: string, segments: ReadonlyArray<Trace.Segment>): Html =>
  html`<ol class="plain timeline">
    ${segments.map((one) => html`<li class="${one.kind}"><span class="when">${time(one.from, "minute")}</span>${item(portal, one)}</li>`)}
  </ol>`

const item = (portal: string, one: Trace.Segment): Html => {
  const long = duration(one.until - one.from)
  switch (one.kind) {
    case "stay":
      return html`<div>
        <strong>${one.place.label}</strong>
        <span class="soft">${stayed(one, long)}</span>
        ${one.began < one.from && html`<br /><span class="soft small">${words.since(time(one.began))}</span>`}
      </div>`
    case "stop":
      return html`<div>
        ${stopped(one.centre)} <span class="soft">${words.until(long, time(one.until, "minute"))}</span><br />
        <a class="small" href="${portal}/places?lat=${one.centre.lat.toFixed(6)}&lon=${one.centre.lon.toFixed(6)}#new"
          >${words.makePlace}</a
        >
      </div>`
    case "way":
      return html`<div>
        ${words.way} <span class="soft">${one.lengthM < 5 ? long : words.wayLength(long, distance(one.lengthM))}</span>
      </div>`
    case "erased":
      return html`<div class="soft">${words.deleted(long)}</div>`
    case "gap":
      return html`<div class="soft">${words.gap(long)}</div>`
  }
}

const stayed = ({ end, until }: Trace.Segment & { readonly kind: "stay" }, long: Html): Html => {
  switch (end) {
    case "still":
      return words.stillThere(long)
    case "unheard":
      return words.atLeast(long, time(until, "minute"))
    case "uncertain":
      return words.uncertain(long, time(until, "minute"))
    case "left":
      return words.until(long, time(until, "minute"))
  }
}

/** A stop has no name, so its text contains the nearest town, if a town is near. */
const stopped = (centre: Geometry.Point): Html => {
  const town = nearestTown(centre)
  return town === null ? words.stop : words.stopNear(town)
}

const distance = (metres: number): Html =>
  metres < 1_000 ? words.metres(Math.round(metres / 10) * 10) : words.kilometres(metres / 1_000)

const totals = (path: string, { fixes, segments }: TimelineDay, readings: number): Html => {
  const ways = segments.reduce((all, one) => all + (one.kind === "way" ? one.lengthM : 0), 0)
  return html`<section class="card" aria-labelledby="totals">
    <h2 id="totals">${words.totals.heading}</h2>
    <dl>
      ${Trace.totals(segments).map(
        ({ millis, place, visits }) =>
          html`<dt><a href="${path}/places/${place.id}">${place.label}</a></dt>
            <dd>${visits > 1 ? words.totals.visits(duration(millis), visits) : duration(millis)}</dd>`
      )}
      <dt>${words.way}</dt>
      <dd>${distance(ways)}</dd>
      <dt>${words.totals.locations}</dt>
      <dd>${count(readings)}</dd>
      ${
        fixes.length < readings &&
        html`<dt>${words.totals.onMap}</dt>
          <dd>${count(fixes.length)}</dd>`
      }
    </dl>
  </section>`
}

/**
 * What each app learned on the day. Repeated requests share one line, and an app has at most `SEEN` lines. A link leads
 * to the other entries. `folded` has only the newest `ENTRIES` entries of all apps together, so an app may have no line
 * at all.
 */
const saw = (portal: string, folded: ReadonlyArray<Folded.Fold>, { apps }: TimelineDay, date: string): Value =>
  apps.length === 0
    ? html`<p class="soft">${words.saw.nobody}</p>`
    : apps.map(({ appId, count: all, name }) => {
        const log = `${portal}/access-log?app=${appId}&from=${date}&to=${date}`
        const lines = folded.filter((one) => one.newest.appId === appId).slice(0, SEEN)
        const isCut = lines.reduce((sum, { times }) => sum + times, 0) < all
        return html`<h3><a href="${log}">${name}</a></h3>
          ${
            lines.length > 0 &&
            html`<ul class="plain small">
              ${lines.map((one) => html`<li>${time(one.oldest.at, "minute")} ${Folded.words(one)}</li>`)}
            </ul>`
          }
          <p class="soft small">
            ${words.saw.entries(all)} ${isCut && html`<a href="${log}">${words.saw.more(name)}</a>`}
          </p>`
      })

const SEEN = 6

const download = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const { day } = yield* dayOfQuery(visitor)
    const tracks = yield* readTracks(visitor.account.id, day)
    return HttpServerResponse.text(Gpx.write(tracks), {
      contentType: "application/gpx+xml",
      headers: { "content-disposition": `attachment; filename="timeline-${day.date}.gpx"`, "cache-control": "no-store" }
    })
  })
)

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [Routes.get(`${portal}/timeline`, show(portal)), Routes.get(`${portal}/timeline.gpx`, download)]
}
