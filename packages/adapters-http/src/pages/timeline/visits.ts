import { listPlaces } from "@place-access/domain/places"
import { PlaceId } from "@place-access/domain/shared"
import { lastHeard, OwnVisit, ownVisits } from "@place-access/domain/timeline"
import { Effect } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Errors from "../../wire/Errors.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { duration, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"

const words = texts.timeline.visits

const PAGE = 50

/** The page with the visits at one place, the newest visit first. */
const show = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const userId = visitor.account.id
      const id = yield* param("place", PlaceId, "place")
      const place = (yield* listPlaces(userId)).find((one) => one.id === id)
      if (place === undefined) return yield* Effect.fail(Errors.notFound("place"))
      const path = `${portal}/timeline/places/${id}`
      const cursor = (yield* Form.query).value("cursor")
      const range = { from: null, to: null, limit: PAGE, only: id }
      const page = yield* ownVisits(userId, { ...range, cursor: cursor === "" ? undefined : cursor }).pipe(
        // When somebody has changed the cursor in the address, the page shows the beginning of the list.
        Effect.catchTag("Invalid", () => ownVisits(userId, { ...range, cursor: undefined })),
        // Only a wrong cursor makes this call fail with `Invalid`. The call has no cursor, so this failure would be a
        // bug.
        Effect.catchTag("Invalid", Effect.die)
      )
      const reader = yield* Visitor.reader(visitor)
      const heardAt = yield* lastHeard(userId)
      return yield* respond({
        title: words.heading(place.label),
        reader,
        current: `${portal}/timeline`,
        width: "middle",
        main: html`<p><a href="${portal}/timeline">${texts.timeline.heading}</a></p>
          <h1>${words.heading(place.label)}</h1>
          ${
            page.visits.length === 0
              ? html`<p class="empty">${cursor === "" ? words.none : words.noneBefore}</p>`
              : Table.stacked(
                  [words.arrived, words.left, words.duration],
                  page.visits.map((visit) => row(visit, OwnVisit.endOf(visit, heardAt, reader.locale.now)))
                )
          }
          <p class="actions">
            ${page.nextCursor !== null && html`<a class="button second" href="${path}?cursor=${encodeURIComponent(page.nextCursor)}">${words.older}</a>`}
            ${cursor !== "" && html`<a href="${path}">${words.newest}</a>`}
          </p>`
      })
    })
  )

const row = ({ arrival }: OwnVisit.OwnVisit, { at, kind }: OwnVisit.VisitEnd): Html => {
  const left: Readonly<Record<OwnVisit.VisitEnd["kind"], Html>> = {
    left: time(at),
    still: words.stillThere,
    unheard: words.notBefore(time(at)),
    uncertain: words.uncertain(time(at))
  }
  const isKnown = kind === "left" || kind === "still"
  const long = duration(at - arrival)
  return html`<tr>
    <td data-label="${words.arrived}">${time(arrival)}</td>
    <td data-label="${words.left}">${left[kind]}</td>
    <td data-label="${words.duration}">${isKnown ? long : words.atLeast(long)}</td>
  </tr>`
}

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [Routes.get(`${portal}/timeline/places/:place`, show(portal))]
}
