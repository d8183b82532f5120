import { SigningSecret, type WebhookEndpoint } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import type { EndpointFigures } from "@place-access/domain/figures"
import type { Timestamp } from "@place-access/domain/shared"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import { time } from "../kit/Time.js"
import { appPath, may, type TeamApp } from "../developer/shared.js"
import * as Failures from "./endpointFigures.js"
import { standingBadge, strikeMeter, strikeNote } from "./strikes.js"

const words = texts.webhooks
const own = words.endpoint

/**
 * The events that a test can send. `ping` comes first: it is harmless, because a receiver need not react to a `ping`.
 */
export const TEST_TYPES = ["ping", ...Event.EventType.literals.filter((type) => type !== "ping")] as const

/** The card of an endpoint, for the tab with all endpoints of the app. */
export const card = (
  app: TeamApp,
  endpoint: WebhookEndpoint.WebhookEndpoint,
  health: EndpointFigures.EndpointHealth,
  { now, once, token }: Omit<ShownControls, "page">
): Html => {
  const edits = may(app, "develop")
  const shown: ShownControls = { page: "list", now, once, token }
  return html`<li class="card" id="${endpoint.id}">
    <header>
      <h2 class="code">${edits ? html`<a href="${pathOf(app, endpoint)}">${endpoint.url}</a>` : endpoint.url}</h2>
      ${standingBadge(endpoint, health)}
    </header>
    ${strikeNote(app, endpoint)} ${endpoint.disabledAt === null && Failures.failure(health)}
    <dl>
      ${
        endpoint.description !== null &&
        html`<dt>${own.description}</dt>
          <dd>${endpoint.description}</dd>`
      }
      <dt>${own.events}</dt>
      <dd>${endpoint.events.length === 0 ? own.allEvents : endpoint.events.join(", ")}</dd>
      ${
        endpoint.headers.length > 0 &&
        html`<dt>${words.headers.heading}</dt>
          <dd>${endpoint.headers.map(({ name }) => html`<code>${name}</code> `)}</dd>`
      }
      <dt>${own.id}</dt>
      <dd><code>${endpoint.id}</code></dd>
      <dt>${own.failures}</dt>
      <dd>${strikeMeter(endpoint)}</dd>
    </dl>
    <div class="actions">
      ${[
        edits && enabling(app, endpoint, shown),
        edits && app.revokedAt === null && toChange(app, endpoint),
        toDeliveries(app, endpoint)
      ]}
    </div>
    ${edits && forms(app, endpoint, shown)}
  </li>`
}

/**
 * The controls of the card, for the endpoint's own page. The documentation and the delivery log link to the page of an
 * endpoint.
 */
export const controls = (
  app: TeamApp,
  endpoint: WebhookEndpoint.WebhookEndpoint,
  { now, once, token }: Omit<ShownControls, "page">
): Html => {
  const shown: ShownControls = { page: "endpoint", now, once, token }
  return html`<section class="card" aria-labelledby="controls">
    <h2 id="controls">${words.edit.controls}</h2>
    ${strikeNote(app, endpoint)}
    <div class="actions">${enabling(app, endpoint, shown)}${toDeliveries(app, endpoint)}</div>
    ${forms(app, endpoint, shown)}
  </section>`
}

interface ShownControls {
  /** The page that shows this card. After one of the card's buttons was pressed, the browser returns to this page. */
  readonly page: "list" | "endpoint"
  readonly token: string
  /** The `onceField` of the card's forms that make a secret or send deliveries again (`addOnce`). */
  readonly once: Html
  readonly now: Timestamp.Timestamp
}

const pathOf = (app: TeamApp, { id }: WebhookEndpoint.WebhookEndpoint): string => `${appPath(app)}/webhooks/${id}`

const toChange = (app: TeamApp, endpoint: WebhookEndpoint.WebhookEndpoint): Html =>
  html`<a class="button second" href="${pathOf(app, endpoint)}" aria-label="${own.changeOf(endpoint.url)}"
    >${own.change}</a
  >`

const toDeliveries = (app: TeamApp, { id, url }: WebhookEndpoint.WebhookEndpoint): Html =>
  html`<a class="button second" href="${appPath(app)}/deliveries?endpoint=${id}" aria-label="${own.deliveriesOf(url)}"
    >${own.deliveries}</a
  >`

const hiddenFields = ({ once, page, token }: ShownControls): Html =>
  html`${Fields.hidden("form_token", token)}${once}${Fields.hidden("on_page", page)}`

const enabling = (app: TeamApp, endpoint: WebhookEndpoint.WebhookEndpoint, shown: ShownControls): Html | false =>
  endpoint.disabledAt !== null && app.revokedAt === null && button(app, endpoint, shown, "enable", "first", own.enable)

const button = (
  app: TeamApp,
  endpoint: WebhookEndpoint.WebhookEndpoint,
  shown: ShownControls,
  action: string,
  kind: "first" | "second" | "danger",
  text: Html
): Html =>
  html`<form method="post" action="${pathOf(app, endpoint)}/${action}">
    ${hiddenFields(shown)}<button class="${kind}">${text}</button>
  </form>`

/** The forms for a test, for a new secret, for sending failed deliveries again, and for the removal of the endpoint. */
const forms = (app: TeamApp, endpoint: WebhookEndpoint.WebhookEndpoint, shown: ShownControls): Html => {
  const path = pathOf(app, endpoint)
  const earlierUntil = SigningSecret.previousUntil(endpoint.secrets, shown.now)
  const press = (action: string, kind: "second" | "danger", text: Html) =>
    button(app, endpoint, shown, action, kind, text)
  return html`<form method="post" action="${path}/test">
      ${hiddenFields(shown)}
      <div class="field">
        <label for="type-${endpoint.id}">${own.testType}</label>
        <p class="hint" id="type-hint-${endpoint.id}">${own.testHint}</p>
        <select id="type-${endpoint.id}" name="type" aria-describedby="type-hint-${endpoint.id}">
          ${TEST_TYPES.map((type) => html`<option value="${type}">${type}</option>`)}
        </select>
      </div>
      <button class="second">${own.test}</button>
    </form>
    ${
      (app.revokedAt === null || earlierUntil !== null) &&
      html`<details>
        <summary>${app.revokedAt === null ? own.newSecret : own.endEarlier}</summary>
        <div>
          ${
            earlierUntil !== null &&
            html`<p>${own.earlierSigns(time(earlierUntil))}</p>
              ${press("end-previous-secrets", "danger", own.endEarlier)}`
          }
          ${
            app.revokedAt === null &&
            html`<p>${own.rotateText}</p>
              ${press("rotate-secret", "second", own.rotate)}
              <p>${own.replaceText}</p>
              ${press("replace-secret", "danger", own.replace)}`
          }
        </div>
      </details>`
    }
    ${
      endpoint.disabledAt === null &&
      app.revokedAt === null &&
      html`<details>
        <summary>${own.recover}</summary>
        <form method="post" action="${path}/recover">
          ${hiddenFields(shown)}
          <p>${own.recoverText}</p>
          <div class="field">
            <label for="since-${endpoint.id}">${own.recoverSince}</label>
            <input type="date" id="since-${endpoint.id}" name="since" required />
          </div>
          <button class="second">${own.recoverButton}</button>
        </form>
      </details>`
    }
    <details>
      <summary>${own.remove}</summary>
      <div>
        <p>${own.removeText}</p>
        ${press("remove", "danger", own.removeButton)}
      </div>
    </details>`
}
