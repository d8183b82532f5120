import { deleteExport, Export, listExports, requestExport } from "@place-access/domain/exports"
import { ExportId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { archiveAnswer } from "../../exports/archiveAnswer.js"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as ReturnTo from "../kit/ReturnTo.js"
import * as Removal from "../kit/Removal.js"
import * as Routes from "../kit/Routes.js"
import { ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { getsMail, noMail } from "../settings/unconfirmed.js"
import { notice } from "./notices.js"
import * as Reloading from "./reloading.js"

const words = texts.portal.exports

const PATH = "/settings/export"

const isOpen = ({ state }: Export.Export): boolean => state === "requested" || state === "making"

const page = (portal: string, visitor: Visitor.Visitor, refused?: string) =>
  Effect.gen(function* () {
    const exports = yield* listExports(visitor.account.id)
    const query = yield* Form.query
    const token = yield* Visitor.tokenFor(visitor)
    const isMailed = getsMail(visitor.account)
    const present = exports.find((one) => isOpen(one) || one.state === "ready")
    const earlier = exports.filter((one) => one !== present)
    const isWatched = present !== undefined && isOpen(present)
    const watching = isWatched
      ? Reloading.reloading(`${portal}${PATH}`, query, words.open.reloads(Reloading.EVERY_S))
      : Reloading.NONE
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      status: refused === undefined ? 200 : 409,
      headers: watching.headers,
      main: html`<p><a href="${portal}/settings">${texts.settings.title}</a></p>
        <h1>${words.title}</h1>
        <p class="lead">${words.lead}</p>
        ${refused === undefined ? notice(query.value("done")) : html`<div class="note warn" role="alert"><p>${ofDomain(refused)}.</p></div>`}
        ${!isMailed && (yield* noMail(portal))}
        ${
          present === undefined
            ? ask(portal, token, isMailed)
            : card(portal, present, { token, isMailed, reloads: watching.line })
        }
        ${contents} ${earlier.length > 0 && history(earlier)}
        <p class="soft small">${words.elsewhere(`${portal}/imports/new`)}</p>`
    })
  })

const ask = (portal: string, token: string, isMailed: boolean): Html =>
  html`<form method="post" action="${portal}${PATH}" class="card">
    ${Fields.hidden("form_token", token)}
    <p>${words.ask.text(isMailed)}</p>
    <button>${words.ask.button}</button>
  </form>`

interface CardParts {
  readonly token: string
  readonly isMailed: boolean
  readonly reloads: Html
}

const card = (portal: string, one: Export.Export, { isMailed, reloads, token }: CardParts): Html =>
  isOpen(one)
    ? html`<section class="card" aria-labelledby="present">
        <header>
          <h2 id="present">${words.open.heading}</h2>
          <span class="badge warn">${words.states[one.state]}</span>
        </header>
        <div class="field">
          <label for="progress">${words.open.made(Export.percent(one))}</label>
          <progress class="wide" id="progress" value="${Export.percent(one)}" max="100">
            ${words.open.made(Export.percent(one))}
          </progress>
        </div>
        <p>${words.open.close(isMailed)}</p>
        ${reloads} ${removal(portal, one, token, words.open.stop, words.open.stopHint)}
      </section>`
    : html`<section class="card" aria-labelledby="present">
        <header>
          <h2 id="present">${words.ready.heading}</h2>
          <span class="badge">${words.states.ready}</span>
        </header>
        <dl>
          <dt>${words.ready.asOf}</dt>
          <dd>${time(one.requestedAt)}</dd>
          <dt>${words.ready.size}</dt>
          <dd>${size(one.bytes)}</dd>
          <dt>${words.ready.until}</dt>
          <dd>${one.expiresAt !== null && time(one.expiresAt)}</dd>
        </dl>
        <p>${words.ready.secret}</p>
        <p><a class="button" href="${portal}${PATH}/${one.id}/archive">${words.ready.download}</a></p>
        ${removal(portal, one, token, words.ready.remove, words.ready.removeHint)}
      </section>`

const removal = (portal: string, one: Export.Export, token: string, label: Html, hint: Html): Html =>
  html`<form method="post" action="${portal}${PATH}/${one.id}/delete" class="actions">
    ${Fields.hidden("form_token", token)}
    <button class="danger">${label}</button>
    <span class="soft small">${hint}</span>
  </form>`

const KIB = 1_024

/** The size of a file in KiB or MiB, in the reader's language. */
const size = (bytes: number): Html =>
  bytes < KIB * KIB ? words.kib(Math.max(1, Math.round(bytes / KIB))) : words.mib(bytes / KIB / KIB)

const contents = html`<section class="card" aria-labelledby="contents">
  <h2 id="contents">${words.contents.heading}</h2>
  <ul>
    <li>${words.contents.own}</li>
    <li>${words.contents.locations}</li>
    <li>${words.contents.apps}</li>
    <li>${words.contents.log}</li>
  </ul>
  <p>${words.contents.format}</p>
</section>`

const history = (earlier: ReadonlyArray<Export.Export>): Html =>
  html`<section class="card" aria-labelledby="earlier">
    <h2 id="earlier">${words.earlier}</h2>
    <ul>
      ${earlier.map((one) => html`<li>${earlierOne(one)}</li>`)}
    </ul>
  </section>`

const earlierOne = ({ fault, requestedAt, state }: Export.Export): Html =>
  fault === null
    ? words.earlierOne(time(requestedAt), words.states[state])
    : words.earlierFault(time(requestedAt), words.states[state], ofDomain(Export.explain(fault)))

/**
 * Redirects to the page where the person confirms who they are. Afterwards the person comes back to the page of
 * exports, which says that the download can begin, and not to the download itself: the browser would save the file and
 * leave the page of the confirmation visible.
 */
const confirmAndDownload = (portal: string) => seeOther(ReturnTo.confirm(`${portal}${PATH}?done=export-confirmed`))

const request = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      if ((yield* Visitor.confirmed(visitor)) !== null) return Visitor.toConfirmAndChoose(`${portal}${PATH}`)
      const done = getsMail(visitor.account) ? "export-requested" : "export-requested-no-mail"
      return yield* requestExport(visitor.account.id).pipe(
        Effect.as(seeOther(`${portal}${PATH}?done=${done}`)),
        Effect.catchTag("Conflict", ({ reason }) => page(portal, visitor, reason))
      )
    })
  )

const fetch = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const id = yield* param("id", ExportId, "export")
      if ((yield* Visitor.confirmed(visitor)) !== null) return confirmAndDownload(portal)
      return yield* Effect.catchTag(archiveAnswer({ userId: visitor.account.id, id }), "Conflict", ({ reason }) =>
        page(portal, visitor, reason)
      )
    })
  )

const remove = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const id = yield* param("id", ExportId, "export")
      yield* Removal.once("export", deleteExport({ userId: visitor.account.id, id }))
      return seeOther(`${portal}${PATH}?done=export-deleted`)
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(
      `${portal}${PATH}`,
      Visitor.signedIn((visitor) => page(portal, visitor))
    ),
    Routes.post(`${portal}${PATH}`, request(portal)),
    Routes.get(`${portal}${PATH}/:id/archive`, fetch(portal)),
    Routes.post(`${portal}${PATH}/:id/delete`, remove(portal))
  ]
}
