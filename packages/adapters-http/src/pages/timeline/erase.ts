import { LocalDays } from "@place-access/domain/fixes"
import { Erasure, eraseHistory } from "@place-access/domain/retention-choice"
import { Timestamp, type TimeZone } from "@place-access/domain/shared"
import { foreseeErasure } from "@place-access/domain/timeline"
import { DateTime, Effect, Either, Option, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { requestedDay } from "./requestedDay.js"

// This module has the form and the page with which an owner deletes a stretch of a day. Decision retention-choice-4.

const words = texts.timeline.erase

/** The parts of a day. For each part, the page of the day has a link to this page. */
const PARTS = [
  { part: "morning", from: "00:00", until: "12:00" },
  { part: "afternoon", from: "12:00", until: "18:00" },
  { part: "evening", from: "18:00", until: "24:00" }
] as const

/**
 * The end of a day is written as `END_OF_DAY` in a link, and as `MIDNIGHT` in a field: a browser shows a time field
 * with the value 24:00 as empty.
 */
const END_OF_DAY = "24:00"
const MIDNIGHT = "00:00"

/** The times of the form, as the person typed them. */
type TypedTimes = Readonly<Record<"from" | "until", string>>

/**
 * The form on the page of a day in which the owner chooses the part of the day to delete. The form leads to the page of
 * this module, which asks for confirmation. For the present day, the buttons for parts of a day include only the parts
 * that have begun.
 */
export const form = (
  portal: string,
  zone: TimeZone.TimeZone,
  day: LocalDays.WholeDay,
  now: Timestamp.Timestamp,
  rejected: Fields.Shown = Fields.fresh()
): Html => {
  const value = (name: string) => rejected.values(name).replace(END_OF_DAY, MIDNIGHT)
  const shown: Fields.Shown = { ...rejected, values: value }
  const begun = PARTS.filter(({ from }) => Option.exists(LocalDays.instantOf(zone, day, from), (at) => at < now))
  return html`<section class="card" aria-labelledby="erase">
    <h2 id="erase">${words.part}</h2>
    <p class="row">
      ${begun.map(
        ({ from, part, until }) =>
          html`<a class="button second" href="${link(portal, day, from, until)}">${words.parts[part]}</a>`
      )}
    </p>
    <form method="get" action="${portal}/timeline/erase">
      ${Fields.hidden("day", day.date)}
      <div class="pair">
        ${Fields.input(shown, { name: "from", label: words.labels.from, type: "time" })}
        ${Fields.input(shown, { name: "until", label: words.labels.until, type: "time" })}
        <div class="field"><button class="second">${words.button}</button></div>
      </div>
    </form>
    <p class="small"><a href="${link(portal, day, "00:00", "24:00")}">${words.wholeDay}</a></p>
    <p class="soft small">${words.hint}</p>
  </section>`
}

const link = (portal: string, day: LocalDays.WholeDay, from: string, until: string): string =>
  `${portal}/timeline/erase?day=${day.date}&from=${from}&until=${until}`

/**
 * Reads the stretch of time from the query: a day in the visitor's time zone, and two times of that day. For an end in
 * the future on a day that has begun, the present time becomes the end.
 */
const stretchOfQuery = (visitor: Visitor.Visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const {
      locale: { now },
      day,
      zone
    } = yield* requestedDay(visitor, query.value("day"))
    const from = LocalDays.instantOf(zone, day, query.value("from"))
    // In the field for the end, 00:00 means the end of the day: nothing of the day is before the beginning of the day.
    const end = query.value("until")
    const until = LocalDays.instantOf(zone, day, end === MIDNIGHT ? END_OF_DAY : end, "last")
    const problems: ReadonlyArray<FieldProblem> = [
      ...(Option.isNone(from) ? [{ field: "from", message: "must be a time" }] : []),
      ...(Option.isNone(until) ? [{ field: "until", message: "must be a time" }] : [])
    ]
    const stretch: Option.Option<Erasure.Stretch> = Option.all({
      from,
      until: Option.map(until, (at) => (at > now && day.from <= now ? now : at))
    })
    return { day, query, problems, stretch, now }
  })

const show = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const { day, now, problems, query, stretch } = yield* stretchOfQuery(visitor)
      // No link of the service leads to this address without times. For example, a person has typed the address, or has
      // loaded it again after a form was posted to it. There is nothing to confirm, so the person goes to the timeline.
      if (query.value("from") === "" && query.value("until") === "") {
        return seeOther(`${portal}/timeline`)
      }
      const typed = { from: query.value("from"), until: query.value("until") }
      if (Option.isNone(stretch)) return yield* showAgain(portal, visitor, day, problems, typed)
      const fault = Erasure.fault(stretch.value, now)
      if (fault !== undefined)
        return yield* showAgain(portal, visitor, day, [{ field: fault.field, message: fault.reason }], typed)
      const { from, until } = stretch.value
      // `Erasure.fault` has found no fault in the times, so this call cannot fail with `Invalid`.
      const foreseen = foreseeErasure(visitor.account.id, stretch.value)
      const { apps, fixes } = yield* Effect.catchTag(foreseen, "Invalid", Effect.die)
      return yield* respond({
        title: words.title,
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/timeline`,
        width: "narrow",
        main: html`<p><a href="${portal}/timeline?day=${day.date}">${texts.timeline.heading}</a></p>
          <h1>${words.question}</h1>
          <p class="lead">${words.stretch(time(from), time(until))}</p>
          <ul>
            <li>${words.going(fixes)}</li>
            <li>${words.visits(time(from, "minute"))}</li>
            <li>${words.rules}</li>
          </ul>
          <h2>${words.known}</h2>
          ${
            apps.length === 0
              ? html`<p>${words.nobodyAsked}</p>`
              : html`<p>${words.asked}</p>
                  <ul>
                    ${apps.map(
                      ({ appId, count: times, name }) =>
                        html`<li>
                          ${words.requests(
                            html`<a href="${portal}/access-log?app=${appId}&from=${day.date}&to=${day.date}"
                              >${name}</a
                            >`,
                            times
                          )}
                        </li>`
                    )}
                  </ul>`
          }
          <p class="soft small">${words.later}</p>
          <p class="soft small">${words.gap}</p>
          <form method="post" action="${portal}/timeline/erase">
            ${Fields.hidden("form_token", yield* Visitor.tokenFor(visitor))} ${Fields.hidden("day", day.date)}
            ${Fields.hidden("from", Timestamp.toIso(from))} ${Fields.hidden("until", Timestamp.toIso(until))}
            <p class="actions">
              <button type="submit" class="danger">${words.forGood}</button>
              <a href="${portal}/timeline?day=${day.date}">${words.cancel}</a>
            </p>
          </form>`
      })
    })
  )

/** Shows the form for the deletion of a part of a day again, with the problems of the typed times. */
const showAgain = (
  portal: string,
  visitor: Visitor.Visitor,
  day: LocalDays.WholeDay,
  problems: ReadonlyArray<FieldProblem>,
  typed: TypedTimes
) =>
  Effect.gen(function* () {
    const { locale, zone } = yield* requestedDay(visitor, day.date)
    const shown: Fields.Shown = { values: (name) => (name === "from" || name === "until" ? typed[name] : ""), problems }
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/timeline`,
      width: "narrow",
      status: 400,
      main: html`<p><a href="${portal}/timeline?day=${day.date}">${texts.timeline.heading}</a></p>
        <h1>${words.title}</h1>
        ${Fields.problems(shown, words.labels)}
        <p>${time(day.from)}</p>
        ${form(portal, zone, day, locale.now, shown)}`
    })
  })

const Stretch = Schema.Struct({ from: Timestamp.FromIso, until: Timestamp.FromIso })

/** The time of day (`09:30`) of a posted instant in the zone; "" when the text is no instant. */
const clockOf = (zone: TimeZone.TimeZone, instant: string): string =>
  Option.match(Schema.decodeOption(Timestamp.FromIso)(instant), {
    onNone: () => "",
    onSome: (at) => DateTime.formatIsoOffset(DateTime.setZone(DateTime.unsafeMake(at), zone)).slice(11, 16)
  })

const erase = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const posted = yield* Visitor.checked(visitor.cookie)
      const { day, zone } = yield* requestedDay(visitor, posted.value("day"))
      const typed = { from: clockOf(zone, posted.value("from")), until: clockOf(zone, posted.value("until")) }
      const stretch = Form.decode(Stretch, { from: posted.value("from"), until: posted.value("until") })
      if (Either.isLeft(stretch)) return yield* showAgain(portal, visitor, day, stretch.left, typed)
      return yield* eraseHistory(visitor.account.id, stretch.right).pipe(
        Effect.as(seeOther(`${portal}/timeline?day=${day.date}&done=stretch-deleted`)),
        Effect.catchTags({
          Invalid: ({ problems }) => showAgain(portal, visitor, day, problems, typed),
          Conflict: ({ reason }) => showAgain(portal, visitor, day, [{ field: "from", message: reason }], typed)
        })
      )
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [Routes.get(`${portal}/timeline/erase`, show(portal)), Routes.post(`${portal}/timeline/erase`, erase(portal))]
}
