import { listDeliveries } from "@place-access/domain/deliveries"
import { listEndpoints } from "@place-access/domain/endpoints"
import { Words } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { row, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import * as DeliveriesQuery from "./deliveriesQuery.js"
import { answer, marker, outcome, STATES } from "./deliveryWords.js"
import { appHead, appPath, DEVELOPER, ownApp } from "./shared.js"

const PAGE = 50

const LABELS = { endpoint: "Endpoint", state: "Outcome", type: "Event", from: "From", to: "To" }
const NONE = { deliveries: [], nextCursor: null }

const list = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const app = yield* ownApp(visitor)
    const form = yield* Form.query
    const query = DeliveriesQuery.read(form)
    const cursor = form.value("cursor")
    const endpoints = yield* listEndpoints(visitor.account, app.id)
    const from = (cursor: string | undefined) =>
      listDeliveries(visitor.account, app.id, { ...query.filter, limit: PAGE, cursor })
    const page = query.isNone
      ? NONE
      : yield* from(cursor === "" ? undefined : cursor).pipe(
          // A cursor that somebody has tampered with: the list starts at its beginning.
          Effect.catchTag("Invalid", () => from(undefined))
        )
    const urls = new Map(endpoints.map(({ id, url }) => [id as string, url as string]))
    const fields = Form.shown(form, query.problems)
    const path = `${appPath(app)}/deliveries`
    const older =
      page.nextCursor === null
        ? null
        : `${path}?${new URLSearchParams({ ...query.shown, cursor: page.nextCursor }).toString()}`
    return respond({
      title: `Delivery log of ${app.name}`,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      status: query.problems.length === 0 ? 200 : 400,
      main: html`${appHead(app, "/deliveries")} ${recovered(form)} ${Fields.problems(fields, LABELS)}
        <form class="card filter long" method="get" action="${path}">
          <div class="pair">
            ${Fields.select(fields, { name: "endpoint", label: "Endpoint" }, [
              { value: "", text: "All endpoints" },
              ...Array.from(urls, ([value, text]) => ({ value, text }))
            ])}
            ${Fields.select(fields, { name: "state", label: "Outcome" }, [
              { value: "", text: "All outcomes" },
              ...DeliveriesQuery.State.literals.map((value) => ({ value, text: STATES[value] }))
            ])}
            ${Fields.select(fields, { name: "type", label: "Event" }, [
              { value: "", text: "All events" },
              ...DeliveriesQuery.Type.literals.map((value) => ({ value, text: value }))
            ])}
            ${Fields.input(fields, { name: "from", label: "From", type: "date", required: false })}
            ${Fields.input(fields, { name: "to", label: "To", type: "date", required: false })}
            ${Fields.input(fields, { name: "event", label: "Event id", required: false })}
            <div class="field"><button class="second">Show</button></div>
          </div>
        </form>
        ${
          page.deliveries.length === 0
            ? html`<p class="empty">
                Nothing was sent${Object.values(query.shown).some((value) => value !== "") ? " here" : " yet"}.
              </p>`
            : Table.stacked(
                ["Created", "Event", "Endpoint", "Outcome", "Response"],
                page.deliveries.map(
                  ({ delivery, isReplayed, lastAttempt }) =>
                    html`<tr>
                      <td class="nowrap" data-label="Created">${time(delivery.createdAt, row)}</td>
                      <td data-label="Event">
                        <a href="${path}/${delivery.id}"><code>${delivery.envelope.payload.type}</code></a
                        >${marker(delivery, isReplayed)}
                      </td>
                      <td data-label="Endpoint">
                        <code>${urls.get(delivery.endpointId) ?? delivery.endpointId}</code>
                      </td>
                      <td data-label="Outcome">${outcome(delivery)}</td>
                      <td data-label="Response">${answer(lastAttempt)}</td>
                    </tr>`
                )
              )
        }
        ${older !== null && html`<p><a class="button second" href="${older}">Older</a></p>`}`
    })
  })
)

/** After a recovery: how many deliveries it queued. */
const recovered = (query: Form.Form): Html | false => {
  const count = query.value("recovered")
  return (
    /^\d{1,5}$/.test(count) &&
    html`<div class="note" role="status">
      <p>${Words.count(Number(count), "delivery", "deliveries")} queued, the oldest first.</p>
    </div>`
  )
}

export const routes = [Routes.get(`${DEVELOPER}/apps/:app/deliveries`, list)]
