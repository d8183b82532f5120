import { type Delivery, getDelivery, recover, redeliver, Replay, retryNow } from "@place-access/domain/deliveries"
import { listEndpoints, type WebhookEndpoint } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import { LocalDays } from "@place-access/domain/fixes"
import { type Conflict, DeliveryId, EndpointId, Timestamp, TimeZone } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import { countTest } from "../../deliveries/countTest.js"
import { shownEvent } from "../../deliveries/DeliveriesApi.js"
import { texts } from "../../languages/index.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import * as Errors from "../../wire/Errors.js"
import { addOnce } from "../addOnce.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { exchange } from "./attempts.js"
import { answer, marker, outcome } from "./deliveryWords.js"
import { appHead, appPath, DEVELOPER, ownApp, may, type TeamApp } from "../developer/shared.js"

const words = texts.webhooks.delivery

const deliveryId = param("delivery", DeliveryId, "delivery")

const deliveryPath = (app: TeamApp, id: DeliveryId): string => `${appPath(app)}/deliveries/${id}`

/**
 * One delivery with every attempt. `refusal`: the reason why the service refused an action that the person requested.
 */
const detail = (visitor: Visitor.Visitor, app: TeamApp, id: DeliveryId, refusal?: string) =>
  Effect.gen(function* () {
    const { attempts, delivery, isReplayed } = yield* getDelivery(visitor.account, app.id, id)
    const { envelope } = delivery
    const { occurredAt, type } = shownEvent({ delivery, lastAttempt: attempts.at(-1) ?? null })
    const endpoints = yield* listEndpoints(visitor.account, app.id)
    const endpoint = endpoints.find(({ id }) => id === delivery.endpointId) ?? null
    // A viewer of the app may not read data about users, and the body of the event is about a user.
    const body = may(app, "develop") ? Event.body(envelope, delivery.endpointId) : undefined
    // The endpoint is a link only when its page can be opened: viewers may not open the page, and for a removed
    // endpoint the answer would be 404.
    const canOpenEndpoint = may(app, "develop") && endpoint !== null
    const endpointId = html`<code>${delivery.endpointId}</code>`
    const address = attempts.at(-1)?.exchange?.url
    const query = yield* Form.query
    const hidden = html`${Fields.hidden("form_token", yield* Visitor.tokenFor(visitor))}${yield* Visitor.onceField}`
    return yield* respond({
      title: words.titleOf(type),
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      status: refusal === undefined ? 200 : 409,
      main: html`${appHead(app, "/deliveries")}
        ${refusal === undefined ? notice(query.value("done")) : html`<div class="note warn" role="alert"><p>${words.refused(ofDomain(refusal))}</p></div>`}
        <section class="card" aria-labelledby="event">
          <header>
            <h2 id="event"><code>${type}</code>${marker(delivery, isReplayed)}</h2>
            <div>${outcome(delivery)}</div>
          </header>
          <dl>
            <dt>${words.event}</dt>
            <dd>
              <a href="${appPath(app)}/deliveries?event=${envelope.eventId}"><code>${envelope.eventId}</code></a>
            </dd>
            <dt>${words.happened}</dt>
            <dd>${occurredAt === null ? "—" : time(occurredAt)}</dd>
            <dt>${words.endpoint}</dt>
            <dd>
              ${address !== undefined && html`<code>${address}</code><br />`}
              ${
                canOpenEndpoint
                  ? html`<a href="${appPath(app)}/webhooks/${delivery.endpointId}">${endpointId}</a>`
                  : endpointId
              }
            </dd>
            <dt>${words.delivery}</dt>
            <dd><code>${delivery.id}</code></dd>
          </dl>
          ${may(app, "develop") && actions(app, { delivery, endpoint, hidden, now: yield* Timestamp.now })}
        </section>
        <h2>${words.attempts}</h2>
        ${
          attempts.length === 0
            ? html`<p class="empty">${delivery.state === "trying" ? words.noAttempts : words.noAttempt}</p>`
            : html`${attemptsTable(attempts)} ${attempts.map((one) => exchange(one, body))}
              ${body === undefined ? html`<p class="soft">${words.payloadHidden}</p>` : payload(body)}`
        }`
    })
  })

interface ActedOn {
  readonly delivery: Delivery.Delivery
  /** Null when the endpoint was removed. */
  readonly endpoint: WebhookEndpoint.WebhookEndpoint | null
  /** The hidden fields of the button's form. */
  readonly hidden: Html
  readonly now: Timestamp.Timestamp
}

/**
 * The button that sends the event again, or that makes the next attempt due now. When the service would refuse to send
 * the event, the page shows the reason in place of the button.
 */
const actions = (app: TeamApp, { delivery, endpoint, hidden, now }: ActedOn): Html => {
  const button = (action: string, text: Html, hint: Html) =>
    html`<form method="post" action="${deliveryPath(app, delivery.id)}/${action}">
      ${hidden}${Fields.hidden("attempt", String(delivery.attempt))}
      <p class="hint">${hint}</p>
      <button class="second">${text}</button>
    </form>`
  if (app.revokedAt !== null) return html`<p class="hint">${words.revoked}</p>`
  if (delivery.state === "trying") return button("retry-now", words.retry, words.retryText)
  // The page does not check whether another delivery of the event is in progress. If there is one, the service refuses
  // the redelivery.
  switch (Replay.refusal({ delivery, endpoint, isPending: false }, now)) {
    case "too_old":
      return html`<p class="hint">${words.tooOld}</p>`
    case "endpoint_removed":
      return html`<p class="hint">${words.removed}</p>`
    case "endpoint_disabled":
      return html`<p class="hint">${words.disabled(`${appPath(app)}/webhooks/${delivery.endpointId}`)}</p>`
    default:
      return button("redeliver", words.redeliver, words.redeliverText)
  }
}

const attemptsTable = (attempts: ReadonlyArray<Delivery.Attempt>): Html =>
  Table.stacked(
    [words.attempt, words.sent, words.took, words.response, words.start],
    attempts.map(
      (attempt) =>
        html`<tr>
          <td data-label="${words.attempt}">${attempt.attempt}</td>
          <td class="nowrap" data-label="${words.sent}">${time(attempt.startedAt, "row")}</td>
          <td class="nowrap" data-label="${words.took}">${words.millis(attempt.endedAt - attempt.startedAt)}</td>
          <td data-label="${words.response}">${answer(attempt)}</td>
          <td data-label="${words.startShort}"><code>${attempt.snippet ?? "—"}</code></td>
        </tr>`
    )
  )

/**
 * The body of a delivery. The page shows the body only when an attempt was made: the app may not be allowed to learn
 * about an event that was never sent.
 */
const payload = (body: string): Html =>
  html`<h2>${words.payload}</h2>
    <code class="secret">${JSON.stringify(JSON.parse(body), null, 2)}</code>`

/**
 * Shows the delivery again, with the reason of a refusal. The page of a revoked app has no buttons, so for a revoked
 * app the error page shows the reason.
 */
const refused = (visitor: Visitor.Visitor, app: TeamApp, id: DeliveryId, error: Conflict) =>
  Effect.gen(function* () {
    return app.revokedAt === null ? yield* detail(visitor, app, id, error.reason) : yield* error
  })

const show = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    return yield* detail(visitor, yield* ownApp(visitor, "read"), yield* deliveryId)
  })
)

/**
 * What `addOnce` stores about a replay. When the browser sends the same form again, the answer leads to the same
 * replay.
 */
const KeptReplay = Schema.Struct({ id: DeliveryId })

const redeliverIt = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "develop")
    const id = yield* deliveryId
    const count = Effect.zipRight(
      RateOfAccount.take(RateOfAccount.REDELIVERY, visitor.account.id),
      countTest(visitor.account, app.id, id)
    )
    const add = redeliver(visitor.account, app.id, id)
    return yield* addOnce(visitor, form, { typed: ["redeliver", app.id, id], kept: KeptReplay, add, count }).pipe(
      Effect.map((replay) => seeOther(`${deliveryPath(app, replay.id)}?done=redelivered`)),
      Effect.catchTag("Conflict", (error) => refused(visitor, app, id, error))
    )
  })
)

/**
 * A press of the button makes an attempt due only if the page showed this attempt as the next one. Otherwise a person
 * who presses the button twice would use up two attempts when the receiver refuses the first attempt quickly (decision
 * deliveries-10).
 */
const retryIt = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "develop")
    const id = yield* deliveryId
    const { attempts } = yield* getDelivery(visitor.account, app.id, id)
    if (attempts.some(({ attempt }) => String(attempt) === form.value("attempt"))) {
      return seeOther(`${deliveryPath(app, id)}?done=attempt-made`)
    }
    return yield* retryNow(visitor.account, app.id, id).pipe(
      Effect.as(seeOther(`${deliveryPath(app, id)}?done=retried`)),
      Effect.catchTag("Conflict", (error) => refused(visitor, app, id, error))
    )
  })
)

const recoverThem = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "develop")
    const id = yield* param("endpoint", EndpointId, "endpoint")
    const zone = (yield* Visitor.locale(visitor)).zone ?? TimeZone.UTC
    const { from: since } = yield* Effect.mapError(LocalDays.dayOf(zone, form.value("since")), () =>
      Errors.invalidRequest("The first day must be a date")
    )
    const add = recover(visitor.account, app.id, id, since)
    const queued = yield* addOnce(visitor, form, {
      typed: ["recover", app.id, id, since],
      kept: Schema.Number,
      add,
      severalCommits: true
    })
    return seeOther(`${appPath(app)}/deliveries?endpoint=${id}&recovered=${queued}`)
  })
)

export const routes = [
  Routes.get(`${DEVELOPER}/apps/:app/deliveries/:delivery`, show),
  Routes.post(`${DEVELOPER}/apps/:app/deliveries/:delivery/redeliver`, redeliverIt),
  Routes.post(`${DEVELOPER}/apps/:app/deliveries/:delivery/retry-now`, retryIt),
  Routes.post(`${DEVELOPER}/apps/:app/webhooks/:endpoint/recover`, recoverThem)
]
