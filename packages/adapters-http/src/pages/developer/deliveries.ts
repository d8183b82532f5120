import { listDeliveries } from "@place-access/domain/deliveries"
import { listEndpoints } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import { EndpointId, EventId, Timestamp, Words } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import { typesOf } from "../../deliveries/DeliveriesApi.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { row, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { answer, marker, outcome, STATES } from "./deliveryWords.js"
import { appHead, appPath, DEVELOPER, ownApp } from "./shared.js"

const PAGE = 50

const State = Schema.Literal("trying", "delivered", "failed", "too_old")

const Type = Schema.Literal(...Event.SUBSCRIBABLE, ...Event.RuleFired.fields.type.literals, "ping")
const isType = Schema.is(Type)

const NONE = { deliveries: [], nextCursor: null }

const list = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const app = yield* ownApp(visitor)
    const query = yield* Form.query
    const [endpoint, event, state] = [query.value("endpoint"), query.value("event").trim(), query.value("state")]
    const [type, from, to] = [query.value("type"), query.value("from"), query.value("to")]
    const lastDay = day(to)
    const cursor = query.value("cursor")
    const eventId = Schema.decodeOption(EventId)(event)
    const endpoints = yield* listEndpoints(visitor.account, app.id)
    // What is no id names no event.
    const isNone = event !== "" && Option.isNone(eventId)
    const page = isNone
      ? NONE
      : yield* listDeliveries(visitor.account, app.id, {
          endpointId: Option.getOrUndefined(Schema.decodeOption(EndpointId)(endpoint)),
          eventId: Option.getOrUndefined(eventId),
          types: isType(type) ? typesOf(type) : undefined,
          from: day(from),
          // The last day counts as a whole.
          to: lastDay === undefined ? undefined : Timestamp.plus(lastDay, Timestamp.DAY),
          state: Option.getOrUndefined(Schema.decodeUnknownOption(State)(state)),
          limit: PAGE,
          cursor: cursor === "" ? undefined : cursor
        }).pipe(
          // A cursor that somebody has tampered with begins the list anew.
          Effect.catchTag("Invalid", () => Effect.succeed(NONE))
        )
    const urls = new Map(endpoints.map(({ id, url }) => [id as string, url as string]))
    const form = Form.shown(query, [])
    const path = `${appPath(app)}/deliveries`
    const asked = { endpoint, event, type, state, from, to }
    const older =
      page.nextCursor === null
        ? null
        : `${path}?${new URLSearchParams({ ...asked, cursor: page.nextCursor }).toString()}`
    return respond({
      title: `Delivery log of ${app.name}`,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      main: html`${appHead(app, "/deliveries")} ${recovered(query)}
        <form class="card filter long" method="get" action="${path}">
          <div class="pair">
            ${Fields.select(form, { name: "endpoint", label: "Endpoint" }, [{ value: "", text: "All endpoints" }, ...Array.from(urls, ([value, text]) => ({ value, text }))])}
            ${Fields.select(form, { name: "state", label: "Outcome" }, [{ value: "", text: "All outcomes" }, ...State.literals.map((value) => ({ value, text: STATES[value] }))])}
            ${Fields.select(form, { name: "type", label: "Event" }, [{ value: "", text: "All events" }, ...Type.literals.map((value) => ({ value, text: value }))])}
            ${Fields.input(form, { name: "from", label: "From", type: "date", required: false })}
            ${Fields.input(form, { name: "to", label: "To", type: "date", required: false })}
            ${Fields.input(form, { name: "event", label: "Event id", required: false })}
            <div class="field"><button class="second">Show</button></div>
          </div>
        </form>
        ${
          page.deliveries.length === 0
            ? html`<p class="empty">
                Nothing was sent${Object.values(asked).some((value) => value !== "") ? " here" : " yet"}.
              </p>`
            : Table.stacked(
                ["Made", "Event", "Endpoint", "Outcome", "Answer"],
                page.deliveries.map(
                  ({ delivery, isReplayed, lastAttempt }) =>
                    html`<tr>
                      <td class="nowrap" data-label="Made">${time(delivery.createdAt, row)}</td>
                      <td data-label="Event">
                        <a href="${path}/${delivery.id}"><code>${delivery.envelope.payload.type}</code></a
                        >${marker(delivery, isReplayed)}
                      </td>
                      <td data-label="Endpoint">
                        <code class="long">${urls.get(delivery.endpointId) ?? delivery.endpointId}</code>
                      </td>
                      <td data-label="Outcome">${outcome(delivery)}</td>
                      <td data-label="Answer">${answer(lastAttempt)}</td>
                    </tr>`
                )
              )
        }
        ${older !== null && html`<p><a class="button second" href="${older}">Older</a></p>`}`
    })
  })
)

/** After a recovery, how many rows it made. */
const recovered = (query: Form.Form): Html | false => {
  const count = query.value("recovered")
  return (
    /^\d{1,5}$/.test(count) &&
    html`<div class="note" role="status">
      <p>${Words.count(Number(count), "delivery", "deliveries")} queued, the oldest first.</p>
    </div>`
  )
}

/** One instant of a day as `<input type="date">` sends it, in UTC. */
const day = (text: string): Timestamp.Timestamp | undefined =>
  Option.getOrUndefined(Schema.decodeOption(Timestamp.FromIso)(`${text}T00:00:00Z`))

export const routes = [Routes.get(`${DEVELOPER}/apps/:app/deliveries`, list)]
