import { AttemptExchange, type Delivery } from "@place-access/domain/deliveries"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { time } from "../kit/Time.js"

/**
 * This module shows the request and the answer of each attempt of a delivery, with a command that sends the same
 * request again. Viewers of the app see neither the command nor the signature (decision teams-1): with a signature,
 * they could send the event to the receiver again. The receiver would accept the event until the signature is too old.
 */

const words = texts.webhooks.delivery

type Header = readonly [name: string, value: string]

/**
 * The address and the headers of one attempt, if they were stored. `body` is the body that every attempt sends;
 * undefined for a reader who may not see this body.
 */
export const exchange = (
  { attempt, exchange: sent, startedAt }: Delivery.Attempt,
  body: string | undefined
): Html | false =>
  sent !== undefined &&
  html`<details>
    <summary>${words.exchangeOf(attempt, time(startedAt))}</summary>
    <h3>${words.request}</h3>
    <code class="secret">${[`POST ${sent.url}`, ...lines(sent.request)].join("\n")}</code>
    <h3>${words.responseHeaders}</h3>
    ${
      sent.response.length === 0
        ? html`<p class="soft">${words.noHeaders}</p>`
        : html`<code class="secret">${lines(sent.response).join("\n")}</code>`
    }
    ${
      body !== undefined &&
      html`<h3>${words.curl}</h3>
        <p class="soft small">${words.curlText}</p>
        <code class="secret">${curl(sent, body)}</code>`
    }
  </details>`

const lines = (headers: ReadonlyArray<Header>): ReadonlyArray<string> =>
  headers.map(([name, value]) => `${name}: ${value}`)

/**
 * A command for a POSIX shell that sends the request again. A value that is not stored becomes `YOUR_VALUE`, which the
 * developer must replace.
 */
export const curl = ({ request, url }: AttemptExchange.AttemptExchange, body: string): string =>
  [
    `curl -i -X POST ${quoted(url)}`,
    ...request.map(
      ([name, value]) => `-H ${quoted(`${name}: ${value === AttemptExchange.HIDDEN ? "YOUR_VALUE" : value}`)}`
    ),
    `--data-raw ${quoted(body)}`
  ].join(" \\\n  ")

/** Quotes a text for a POSIX shell: between single quotes, only the single quote itself has a meaning. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
