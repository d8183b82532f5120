import { HttpServerRequest } from "@effect/platform"
import { type Letter, listRecentMail } from "@place-access/domain/mail"
import { NotFound } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { type Options, portalPath } from "../../HttpOptions.js"
import { type Html, html, type Value } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"

const AT_MOST = 100

/** The names of this machine. A foreign page whose name was made to lead here (DNS rebinding) sends its own name as Host. */
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i
const LOOPBACK_PEER = /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/i
/** A proxy on this machine has an address of this machine, wherever the request came from. A request with one of these headers came through a proxy. */
const FORWARDING = ["forwarded", "x-forwarded-for", "x-real-ip", "via"]

/** Whether a program or a browser of this machine asks, under a name of this machine. */
export const isLocal = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): boolean =>
  LOOPBACK_HOST.test(headers["host"] ?? "") &&
  LOOPBACK_PEER.test(Option.getOrElse(remoteAddress, () => "")) &&
  FORWARDING.every((name) => headers[name] === undefined)

/** What would have been sent, for whoever tries the service out on their own machine: nobody signs in to read it. */
const show = (options: Options) =>
  Effect.gen(function* () {
    if (!isLocal(yield* HttpServerRequest.HttpServerRequest)) return yield* new NotFound({ what: "page" })
    const portal = new URL(options.userPortalUrl).origin + portalPath(options)
    const letters = yield* listRecentMail(AT_MOST, { portal, service: options.baseUrl })
    return respond({
      title: "Mailbox",
      reader: null,
      width: "middle",
      main: html`<h1>Mailbox</h1>
        <p class="lead">
          No mail server is set (SMTP_URL), so no e-mail leaves. This is what would have been sent, the newest first.
        </p>
        ${
          letters.length === 0
            ? html`<p class="empty">Nothing yet. Connect an app, and its user gets a receipt.</p>`
            : html`<ul class="plain">
                ${letters.map(card)}
              </ul>`
        }`
    })
  })

const card = ({ createdAt, subject, text, to }: Letter): Html =>
  html`<li class="card">
    <h2>${subject}</h2>
    <p class="small">To ${to ?? "nobody any more"}, ${time(createdAt)}</p>
    <pre class="letter">${linked(text)}</pre>
  </li>`

/** Addresses in the text lead there. */
const linked = (text: string): ReadonlyArray<Value> =>
  text.split(/(https?:\/\/\S+)/).map((part, index) => (index % 2 === 0 ? part : html`<a href="${part}">${part}</a>`))

export const routes = (options: Options) => (options.hasMailbox ? [Routes.get("/dev/mailbox", show(options))] : [])
