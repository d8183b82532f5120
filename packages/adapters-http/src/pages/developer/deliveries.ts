import { type Delivery, getDelivery, listDeliveries } from "@place-access/domain/deliveries"
import { listEndpoints } from "@place-access/domain/endpoints"
import { DeliveryId, EndpointId, EventId } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { row, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { appHead, appPath, DEVELOPER, ownApp } from "./shared.js"

const PAGE = 50

const STATES: Readonly<Record<Delivery.State, string>> = {
  trying: "Trying",
  delivered: "Delivered",
  failed: "Failed",
  too_old: "Too old to send"
}

const State = Schema.Literal("trying", "delivered", "failed", "too_old")

const NONE = { deliveries: [], nextCursor: null }

const list = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const app = yield* ownApp(visitor)
    const query = yield* Form.query
    const [endpoint, event, state] = [query.value("endpoint"), query.value("event").trim(), query.value("state")]
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
    const older =
      page.nextCursor === null
        ? null
        : `${path}?${new URLSearchParams({ endpoint, event, state, cursor: page.nextCursor }).toString()}`
    return respond({
      title: `Delivery log of ${app.name}`,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      main: html`${appHead(app, "/deliveries")}
        <form class="card filter" method="get" action="${path}">
          <div class="pair">
            ${Fields.select(form, { name: "endpoint", label: "Endpoint" }, [{ value: "", text: "All endpoints" }, ...Array.from(urls, ([value, text]) => ({ value, text }))])}
            ${Fields.select(form, { name: "state", label: "Outcome" }, [{ value: "", text: "All outcomes" }, ...State.literals.map((value) => ({ value, text: STATES[value] }))])}
            ${Fields.input(form, { name: "event", label: "Event id", required: false })}
            <div class="field"><button class="second">Show</button></div>
          </div>
        </form>
        ${
          page.deliveries.length === 0
            ? html`<p class="empty">
                Nothing was sent${endpoint !== "" || event !== "" || state !== "" ? " here" : " yet"}.
              </p>`
            : Table.stacked(
                ["Made", "Event", "Endpoint", "Outcome", "Answer"],
                page.deliveries.map(
                  ({ delivery, lastAttempt }) =>
                    html`<tr>
                      <td class="nowrap" data-label="Made">${time(delivery.createdAt, row)}</td>
                      <td data-label="Event">
                        <a href="${path}/${delivery.id}"><code>${delivery.envelope.payload.type}</code></a
                        >${marker(delivery)}
                      </td>
                      <td data-label="Endpoint">
                        <code>${urls.get(delivery.endpointId) ?? delivery.endpointId}</code>
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

const marker = ({ isTest, replayNo }: Delivery.Delivery): Html | false =>
  isTest
    ? html` <span class="badge quiet">Test</span>`
    : replayNo > 0 && html` <span class="badge quiet">Replay ${replayNo}</span>`

const REASONS: Readonly<Record<Delivery.FailReason, string>> = {
  exhausted: "all attempts were used",
  endpoint_disabled: "the endpoint was disabled",
  endpoint_removed: "the endpoint was removed",
  not_authorised: "the user no longer allows it",
  not_sent: "a fault of ours kept it from being sent for three days"
}

const outcome = ({ attempt, dueAt, failReason, isTest, state }: Delivery.Delivery): Html => {
  const kind = state === "delivered" ? "" : state === "trying" ? " quiet" : " bad"
  return html`<span class="badge${kind}">${STATES[state]}</span>
    <span class="soft small"
      >${
        state === "trying"
          ? html`attempt ${attempt} of 7${dueAt !== null && html`, due ${time(dueAt, row)}`}`
          : failReason !== null && !isTest && REASONS[failReason]
      }</span
    >`
}

const answer = (attempt: Delivery.Attempt | null): string =>
  attempt === null ? "—" : (attempt.error ?? `${attempt.status ?? ""}`)

const show = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const app = yield* ownApp(visitor)
    const { attempts, delivery } = yield* getDelivery(
      visitor.account,
      app.id,
      yield* param("delivery", DeliveryId, "delivery")
    )
    const { envelope } = delivery
    return respond({
      title: `Delivery of ${envelope.payload.type}`,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      main: html`${appHead(app, "/deliveries")}
        <section class="card" aria-labelledby="event">
          <header>
            <h2 id="event"><code>${envelope.payload.type}</code>${marker(delivery)}</h2>
            <div>${outcome(delivery)}</div>
          </header>
          <dl>
            <dt>Event</dt>
            <dd><code>${envelope.eventId}</code></dd>
            <dt>Happened</dt>
            <dd>${time(envelope.occurredAt)}</dd>
            <dt>Endpoint</dt>
            <dd><code>${delivery.endpointId}</code></dd>
            <dt>Delivery</dt>
            <dd><code>${delivery.id}</code></dd>
          </dl>
        </section>
        <h2>Attempts</h2>
        ${
          attempts.length === 0
            ? html`<p class="empty">None yet.</p>`
            : Table.stacked(
                ["No.", "Sent", "Took", "Answer", "Its first words"],
                attempts.map(
                  (attempt) =>
                    html`<tr>
                      <td data-label="No.">${attempt.attempt}</td>
                      <td class="nowrap" data-label="Sent">${time(attempt.startedAt, row)}</td>
                      <td class="nowrap" data-label="Took">${attempt.endedAt - attempt.startedAt} ms</td>
                      <td data-label="Answer">${answer(attempt)}</td>
                      <td data-label="Words"><code>${attempt.snippet ?? "—"}</code></td>
                    </tr>`
                )
              )
        }`
    })
  })
)

export const routes = [
  Routes.get(`${DEVELOPER}/apps/:app/deliveries`, list),
  Routes.get(`${DEVELOPER}/apps/:app/deliveries/:delivery`, show)
]
