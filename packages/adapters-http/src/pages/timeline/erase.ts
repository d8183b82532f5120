import { LocalDays } from "@place-access/domain/fixes"
import { Erasure, eraseHistory, type Extent } from "@place-access/domain/retention-choice"
import { Timestamp } from "@place-access/domain/shared"
import { foreseeErasure } from "@place-access/domain/timeline"
import { Effect, Either, Option, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { count, minute, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { askedDay } from "./askedDay.js"

// The owner deletes a stretch of a day. Decision retention-choice-4.

const LABELS = { from: "From", until: "Until" }

/** The form with which a page of a day leads here. */
export const form = (portal: string, day: LocalDays.WholeDay): Html =>
  html`<section class="card" aria-labelledby="erase">
    <h2 id="erase">Delete a part of this day</h2>
    <form method="get" action="${portal}/timeline/erase">
      ${Fields.hidden("day", day.date)}
      <div class="pair">
        <div class="field"><label for="from">From</label><input type="time" id="from" name="from" required /></div>
        <div class="field"><label for="until">Until</label><input type="time" id="until" name="until" required /></div>
        <div class="field"><button class="second">Delete…</button></div>
      </div>
    </form>
    <p class="small"><a href="${link(portal, day, "00:00", "24:00")}">Delete the whole day…</a></p>
    <p class="soft small">You see first what would be deleted.</p>
  </section>`

const link = (portal: string, day: LocalDays.WholeDay, from: string, until: string): string =>
  `${portal}/timeline/erase?day=${day.date}&from=${from}&until=${until}`

/** The stretch of the query: a day of the account's zone with two times, at most until now. */
const asked = (visitor: Visitor.Visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const {
      clock: { now },
      day,
      zone
    } = yield* askedDay(visitor, query.value("day"))
    const [from, until] = (["from", "until"] as const).map((name) =>
      LocalDays.instantOf(zone, day, query.value(name))
    ) as [Option.Option<Timestamp.Timestamp>, Option.Option<Timestamp.Timestamp>]
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
      const { day, now, problems, query, stretch } = yield* asked(visitor)
      // The address without a stretch: somebody loaded it by hand.
      if (query.value("from") === "" && query.value("until") === "") {
        return seeOther(`${portal}/timeline`)
      }
      if (Option.isNone(stretch)) return yield* again(portal, visitor, day, problems)
      const fault = Erasure.fault(stretch.value, now)
      if (fault !== undefined)
        return yield* again(portal, visitor, day, [{ field: fault.field, message: fault.reason }])
      const { from, until } = stretch.value
      const { apps, extent } = yield* Effect.orDie(foreseeErasure(visitor.account.id, stretch.value))
      return respond({
        title: "Delete a part of your history",
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/timeline`,
        width: "narrow",
        main: html`<p><a href="${portal}/timeline?day=${day.date}">My timeline</a></p>
          <h1>Delete this part of your history?</h1>
          <p class="lead">${time(from)} until ${time(until)}</p>
          <ul>
            <li>${going(extent)} are deleted for good. Nobody can bring them back.</li>
            <li>
              A visit that reaches into this time ends at ${time(from, minute)}. What your phone sends later of this
              time is not kept.
            </li>
            <li>Rules of apps begin anew, and events of this time that were not sent yet are not sent.</li>
          </ul>
          <h2>What apps already know</h2>
          ${
            apps.length === 0
              ? html`<p>No app asked in that time.</p>`
              : html`<p>These apps asked in that time. What they learned stays with them:</p>
                  <ul>
                    ${apps.map(
                      ({ appId, count: times, name }) =>
                        html`<li>
                          <a href="${portal}/access-log?app=${appId}&from=${day.date}&to=${day.date}">${name}</a>,
                          ${count(times)} ${times === 1 ? "request" : "requests"}
                        </li>`
                    )}
                  </ul>`
          }
          <p class="soft small">
            Apps that asked later may also have asked about this time. Archives that you made before still have it.
          </p>
          <form method="post" action="${portal}/timeline/erase">
            ${Fields.hidden("form_token", yield* Visitor.tokenFor(visitor))} ${Fields.hidden("day", day.date)}
            ${Fields.hidden("from", Timestamp.toIso(from))} ${Fields.hidden("until", Timestamp.toIso(until))}
            <p class="actions">
              <button type="submit" class="danger">Delete for good</button>
              <a href="${portal}/timeline?day=${day.date}">Cancel</a>
            </p>
          </form>`
      })
    })
  )

const going = ({ fixes, visits }: Extent): string =>
  `${count(fixes)} ${fixes === 1 ? "location" : "locations"} and ${count(visits)} ${visits === 1 ? "visit" : "visits"} that ended then`

/** The form once more, with what is wrong. */
const again = (
  portal: string,
  visitor: Visitor.Visitor,
  day: LocalDays.WholeDay,
  problems: ReadonlyArray<FieldProblem>
) =>
  Effect.gen(function* () {
    return respond({
      title: "Delete a part of your history",
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/timeline`,
      width: "narrow",
      status: 400,
      main: html`<p><a href="${portal}/timeline?day=${day.date}">My timeline</a></p>
        <h1>Delete a part of your history</h1>
        ${Fields.problems({ values: () => "", problems }, LABELS)}
        <p>${time(day.from)}</p>
        ${form(portal, day)}`
    })
  })

const Stretch = Schema.Struct({ from: Timestamp.FromIso, until: Timestamp.FromIso })

const erase = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const posted = yield* Visitor.checked(visitor.cookie)
      const { day } = yield* askedDay(visitor, posted.value("day"))
      const stretch = Form.decode(Stretch, { from: posted.value("from"), until: posted.value("until") })
      if (Either.isLeft(stretch)) return yield* again(portal, visitor, day, stretch.left)
      return yield* eraseHistory(visitor.account.id, stretch.right).pipe(
        Effect.as(seeOther(`${portal}/timeline?day=${day.date}&done=stretch-deleted`)),
        Effect.catchTags({
          Invalid: ({ problems }) => again(portal, visitor, day, problems),
          Conflict: ({ reason }) => again(portal, visitor, day, [{ field: "from", message: reason }])
        })
      )
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [Routes.get(`${portal}/timeline/erase`, show(portal)), Routes.post(`${portal}/timeline/erase`, erase(portal))]
}
