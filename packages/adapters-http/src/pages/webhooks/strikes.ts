import type { App } from "@place-access/domain/apps"
import { WebhookEndpoint } from "@place-access/domain/endpoints"
import type { EndpointFigures } from "@place-access/domain/figures"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { time } from "../kit/Time.js"
import { appPath } from "../developer/shared.js"

/** This module shows the strikes of an endpoint: how many events in a row used up all their attempts (Spec §3.4). */

type Endpoint = WebhookEndpoint.WebhookEndpoint

const words = texts.webhooks.strikes

const { MAX_STRIKES } = WebhookEndpoint
/** From this number of strikes on, the developer gets a warning. */
const MANY = Math.min(...WebhookEndpoint.WARNED_STRIKES)

/**
 * The badge of an endpoint: disabled, failing or enabled. An endpoint is failing when its newest attempt failed
 * (decision figures-3), or when it has at least `MANY` strikes.
 */
export const standingBadge = ({ disabledAt, strikes }: Endpoint, health: EndpointFigures.EndpointHealth): Html =>
  disabledAt !== null
    ? html`<span class="badge bad">${words.disabled(time(disabledAt))}</span>`
    : strikes >= MANY || health._tag === "Failing"
      ? html`<span class="badge bad">${words.failing}</span>`
      : html`<span class="badge">${words.enabled}</span>`

/** The number of strikes in words, and as a bar. */
export const strikeMeter = ({ id, strikes }: Endpoint): Html =>
  strikes === 0
    ? words.none
    : html`<span id="strikes-${id}">${words.inARow(strikes, MAX_STRIKES)}</span>
        <meter
          min="0"
          max="${MAX_STRIKES}"
          low="${MANY - 1}"
          high="${MAX_STRIKES - 1}"
          optimum="0"
          value="${strikes}"
          aria-labelledby="strikes-${id}"
        ></meter>`

/**
 * The note that says why the endpoint is disabled or will soon be disabled, and what the developer can do about this.
 * False when the endpoint is enabled and has too few strikes for a warning.
 */
export const strikeNote = (app: App.App, { disabledAt, id, strikes }: Endpoint): Html | false => {
  if (disabledAt === null && strikes < MANY) return false
  const log = `${appPath(app)}/deliveries?endpoint=${id}&state=failed`
  return html`<div class="note warn">
    <p>${disabledAt === null ? words.failingText(strikes, MAX_STRIKES, log) : words.disabledText(strikes, log)}</p>
  </div>`
}
