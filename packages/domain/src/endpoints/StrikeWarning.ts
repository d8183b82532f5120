// Warnings about an endpoint that fails (decision endpoints-7).
import type { App } from "../apps/App.js"
import type { Link, MailMessage } from "../mail/Mail.js"
import { foldable } from "../mail/NamedMail.js"
import { type AppId, type DeliveryId, type EndpointId, type Timestamp, Words } from "../shared/index.js"
import { MAX_STRIKES, type WebhookEndpoint } from "./WebhookEndpoint.js"

/**
 * An endpoint reached one of `WARNED_STRIKES`, so the app's owners and developers must get a mail. The transaction that
 * stores the strike also stores the warning. `warnOfStrikes` writes the mails and then removes the warning.
 */
export interface StrikeWarning {
  readonly appId: AppId
  /** The delivery that used up its attempts. A delivery ends once, so app id and delivery id identify one warning. */
  readonly deliveryId: DeliveryId
  readonly endpointId: EndpointId
  readonly strikes: number
  readonly at: Timestamp.Timestamp
}

/** The error of an attempt, as the delivery log shows it; null when the attempt succeeded. */
export interface FailedAttempt {
  readonly error: string | null
}

export interface About {
  readonly app: Pick<App, "id" | "name" | "ownerId">
  readonly endpoint: Pick<WebhookEndpoint, "id" | "url" | "description">
  /** The last attempt of the delivery. Null when the delivery log no longer has the attempt. */
  readonly lastAttempt: FailedAttempt | null
}

/** The kind of the mail. It is the first word of the mail's `dedupeKey`. */
export const MAIL_KIND = "strikes"

/**
 * The mail about an endpoint that fails or was disabled. It is addressed to the app's holder; `warnOfStrikes` sends it
 * to all owners and developers of the app.
 */
export const message = (warning: StrikeWarning, { app, endpoint, lastAttempt }: About): MailMessage => {
  const isDisabled = warning.strikes >= MAX_STRIKES
  const name = Words.oneLine(app.name)
  const webhooks = { ...below(app, `/webhooks#${endpoint.id}`), label: isDisabled ? ENABLE : "The endpoint" }
  const log = { ...below(app, `/deliveries?endpoint=${endpoint.id}&state=failed`), label: "What failed there" }
  return {
    to: app.ownerId,
    dedupeKey: `${MAIL_KIND} ${warning.endpointId} ${warning.deliveryId}`,
    subject: isDisabled
      ? `A webhook endpoint of ${name} was disabled`
      : `A webhook endpoint of ${name} failed ${warning.strikes} times in a row`,
    naming: foldable,
    body: [
      `${isDisabled ? "We disabled an endpoint" : "Events do not reach an endpoint"} of your app "${app.name}":`,
      [named(endpoint.url), ...(endpoint.description === null ? [] : [endpoint.description])].join("\n"),
      `On ${Words.moment(warning.at)} it came to ${warning.strikes} events in a row that failed at every one of their seven attempts.${lastResult(lastAttempt)}`,
      ...(isDisabled ? DISABLED : WARNED)
    ].join("\n\n"),
    link: isDisabled ? webhooks : log,
    furtherLinks: [isDisabled ? log : webhooks]
  }
}

const ENABLE = "Test it, enable it, send again what failed"

const WARNED = [
  `At ${MAX_STRIKES} in a row we disable the endpoint: what waits for it then fails, and nothing more is sent there. One event that arrives sets the count back to 0; what you send again by hand does not count.`,
  "Send the endpoint a test to see what it answers. When it works, send again what failed: it is kept for 30 days."
]

const DISABLED = [
  "Nothing is sent there any more. Events that waited for it have failed. Events that happen while it is disabled are not kept for it: your app finds out by asking again.",
  "When your receiver works, send the endpoint a test and enable it. Then send the failed events again, from the day on which your receiver stopped working. That was a day or more before this e-mail: an event fails about a day after it happened. Failed events are kept for 30 days."
]

const below = ({ id }: Pick<App, "id">, path: string): Pick<Link, "site" | "path"> => ({
  site: "service",
  path: `/developer/apps/${id}${path}`
})

const lastResult = (attempt: FailedAttempt | null): string =>
  attempt === null || attempt.error === null ? "" : ` The last attempt ended with: ${attempt.error}.`

/** The address without its query: developers put keys into the query, and other people may read an e-mail. */
const named = (url: string): string => {
  const query = url.indexOf("?")
  return query === -1 ? url : `${url.slice(0, query)}?…`
}
