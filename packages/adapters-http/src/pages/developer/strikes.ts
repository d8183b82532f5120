import type { App } from "@place-access/domain/apps"
import { WebhookEndpoint } from "@place-access/domain/endpoints"
import { type Html, html } from "../kit/Html.js"
import { time } from "../kit/Time.js"
import { appPath } from "./shared.js"

/** The strikes of an endpoint: consecutive events that used up all their attempts (Spec §3.4). */

type Endpoint = WebhookEndpoint.WebhookEndpoint

const { MAX_STRIKES } = WebhookEndpoint
/** The number of strikes from which on the developer gets a warning. */
const MANY = Math.min(...WebhookEndpoint.WARNED_STRIKES)

export const standingBadge = ({ disabledAt, strikes }: Endpoint): Html =>
  disabledAt !== null
    ? html`<span class="badge bad">Disabled ${time(disabledAt)}</span>`
    : strikes >= MANY
      ? html`<span class="badge warn">Failing</span>`
      : html`<span class="badge">Enabled</span>`

/** The strikes in words and as a bar. */
export const strikeMeter = ({ id, strikes }: Endpoint): Html =>
  strikes === 0
    ? html`None in a row`
    : html`<span id="strikes-${id}">${strikes} of ${MAX_STRIKES} failed in a row</span>
        <meter
          min="0"
          max="${MAX_STRIKES}"
          low="${MANY - 1}"
          high="${MAX_STRIKES - 1}"
          optimum="0"
          value="${strikes}"
          aria-labelledby="strikes-${id}"
        ></meter>`

/** Why the endpoint is disabled or soon will be, and what to do about it. False while all is well. */
export const strikeNote = (app: App.App, { disabledAt, id, strikes }: Endpoint): Html | false => {
  if (disabledAt === null && strikes < MANY) return false
  const log = html`<a href="${appPath(app)}/deliveries?endpoint=${id}&amp;state=failed">what failed</a>`
  return html`<div class="note warn">
    ${
      disabledAt === null
        ? html`<p>
            <strong>Events do not arrive here.</strong> ${strikes} in a row failed at every attempt; at ${MAX_STRIKES}
            the endpoint is disabled. See ${log}, and send a test to see what it answers now.
          </p>`
        : html`<p>
            <strong>Disabled, because ${strikes} events in a row failed at every attempt.</strong> Nothing is sent here,
            and what waited has failed. See ${log}; send a test, and when it arrives, enable the endpoint. Then you can
            send again what failed.
          </p>`
    }
  </div>`
}
