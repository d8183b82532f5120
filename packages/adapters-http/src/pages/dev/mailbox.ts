import { HttpServerRequest } from "@effect/platform"
import { readable } from "@place-access/domain/languages"
import { type RecentMail, listRecentMail } from "@place-access/domain/mail"
import { NotFound } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as BrowserLocale from "../../html/BrowserLocale.js"
import { type Html, html, type Value } from "../../html/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"

const AT_MOST = 100

/**
 * The host names of the machine on which the service runs. A page of another site whose name resolves to this machine
 * (DNS rebinding) sends its own name as `Host`. Such a page must not read the mailbox.
 */
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i
const LOOPBACK_PEER = /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/i
/**
 * Headers that a proxy adds. A proxy on the machine of the service connects from an address of this machine, even for a
 * request from another machine. So a request with one of these headers does not count as local.
 */
const FORWARDING = ["forwarded", "x-forwarded-for", "x-real-ip", "via"]

/**
 * Whether the request comes from a program or browser on the machine of the service, and calls the service by a name of
 * this machine.
 */
export const isLocal = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): boolean =>
  LOOPBACK_HOST.test(headers["host"] ?? "") &&
  LOOPBACK_PEER.test(Option.getOrElse(remoteAddress, () => "")) &&
  FORWARDING.every((name) => headers[name] === undefined)

/**
 * Shows the e-mails that were not sent, for people who try the service out on their own machine. The page needs no
 * sign-in.
 */
const show = (options: ServiceOptions) =>
  Effect.gen(function* () {
    if (!isLocal(yield* HttpServerRequest.HttpServerRequest)) return yield* new NotFound({ what: "page" })
    const portal = new URL(options.userPortalUrl).origin + portalPath(options)
    const letters = yield* listRecentMail(AT_MOST, { portal, service: options.baseUrl })
    return yield* respond({
      title: "Mailbox",
      reader: null,
      // The page is in English for every browser.
      locale: { ...(yield* BrowserLocale.locale), language: "en" },
      width: "middle",
      main: html`<h1>Mailbox</h1>
        <p class="lead">
          No mail server is set (SMTP_URL), so the service sends no e-mail. It would have sent these, the newest first.
          Most are shown in English and UTC; real mail is in its reader's language and time zone.
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

const card = ({ createdAt, subject, text, to }: RecentMail): Html =>
  html`<li class="card">
    <h2>${readable(subject, "en")}</h2>
    <p class="small">To ${to ?? "nobody any more"}, ${time(createdAt)}</p>
    <pre class="letter">${linked(readable(text, "en"))}</pre>
  </li>`

/** The text of an e-mail as HTML, in which the web addresses of the text are links. */
const linked = (text: string): ReadonlyArray<Value> =>
  text.split(/(https?:\/\/\S+)/).map((part, index) => (index % 2 === 0 ? part : html`<a href="${part}">${part}</a>`))

export const routes = (options: ServiceOptions) =>
  options.hasMailbox ? [Routes.get("/dev/mailbox", show(options))] : []
