import { deleteExport, Export, listExports, requestExport } from "@place-access/domain/exports"
import { ExportId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { archiveAnswer } from "../../exports/archiveAnswer.js"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as ReturnTo from "../kit/ReturnTo.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "./notices.js"

/** How often the page reloads itself while an archive is being made. It runs no script. */
const REFRESH_S = 5
const PATH = "/settings/export"

const isOpen = ({ state }: Export.Export): boolean => state === "requested" || state === "making"

const page = (portal: string, visitor: Visitor.Visitor, refused?: string) =>
  Effect.gen(function* () {
    const exports = yield* listExports(visitor.account.id)
    const query = yield* Form.query
    const token = yield* Visitor.tokenFor(visitor)
    const present = exports.find((one) => isOpen(one) || one.state === "ready")
    const earlier = exports.filter((one) => one !== present)
    const isWatched = present !== undefined && isOpen(present)
    return respond({
      title: "Take your data along",
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      status: refused === undefined ? 200 : 409,
      ...(isWatched && { headers: { refresh: `${REFRESH_S};url=${portal}${PATH}` } }),
      main: html`<p><a href="${portal}/settings">Settings</a></p>
        <h1>Take your data along</h1>
        <p class="lead">Download one file with everything that this service has about you.</p>
        ${refused === undefined ? notice(query.value("done")) : html`<div class="note warn" role="alert"><p>${refused}.</p></div>`}
        ${present === undefined ? ask(portal, token) : card(portal, present, token)} ${contents}
        ${earlier.length > 0 && history(earlier)}
        <p class="soft small">
          To bring an archive into another account, sign in there and
          <a href="${portal}/imports/new">import the file</a>. Your places and your locations come back. Apps do not:
          you allowed them something in this account, and only you can allow it again in the other one.
        </p>`
    })
  })

const ask = (portal: string, token: string): Html =>
  html`<form method="post" action="${portal}${PATH}" class="card">
    ${Fields.hidden("form_token", token)}
    <p>
      We make the archive in the background, which takes seconds to minutes. We write you an e-mail when it is ready.
      You can download it for 7 days; then we delete it.
    </p>
    <button>Make an archive</button>
  </form>`

const card = (portal: string, one: Export.Export, token: string): Html =>
  isOpen(one)
    ? html`<section class="card" aria-labelledby="present">
        <header>
          <h2 id="present">Your archive is being made</h2>
          <span class="badge warn">${one.state === "requested" ? "Waiting" : "In progress"}</span>
        </header>
        <div class="field">
          <label for="progress">${Export.percent(one)} % made</label>
          <progress class="wide" id="progress" value="${Export.percent(one)}" max="100">
            ${Export.percent(one)} %
          </progress>
        </div>
        <p>You can close this page: we write you an e-mail when it is ready.</p>
        <p class="soft small">Until then, this page reloads itself every ${REFRESH_S} seconds.</p>
        ${removal(portal, one, token, "Stop", "The archive is then not made. Nothing of yours is deleted.")}
      </section>`
    : html`<section class="card" aria-labelledby="present">
        <header>
          <h2 id="present">Your archive is ready</h2>
          <span class="badge">Ready</span>
        </header>
        <dl>
          <dt>As of</dt>
          <dd>${time(one.requestedAt)}</dd>
          <dt>Size</dt>
          <dd>${size(one.bytes)}</dd>
          <dt>You can download it until</dt>
          <dd>${one.expiresAt !== null && time(one.expiresAt)}</dd>
        </dl>
        <p>The file shows everywhere you were. Keep it where nobody else can read it.</p>
        <p><a class="button" href="${portal}${PATH}/${one.id}/archive">Download</a></p>
        ${removal(portal, one, token, "Delete this archive now", "Your data stays. You can then ask for a newer archive.")}
      </section>`

const removal = (portal: string, one: Export.Export, token: string, label: string, hint: string): Html =>
  html`<form method="post" action="${portal}${PATH}/${one.id}/delete" class="actions">
    ${Fields.hidden("form_token", token)}
    <button class="danger">${label}</button>
    <span class="soft small">${hint}</span>
  </form>`

const KIB = 1_024

/** The size of a file, as people read it. */
export const size = (bytes: number): string =>
  bytes < KIB * KIB ? `${Math.max(1, Math.round(bytes / KIB))} KiB` : `${(bytes / KIB / KIB).toFixed(1)} MiB`

const contents = html`<section class="card" aria-labelledby="contents">
  <h2 id="contents">What is in it</h2>
  <ul>
    <li>your account, your places and how they were moved, your phones</li>
    <li>every location that your phones sent, also as GPX for maps and sports programs; your visits</li>
    <li>the apps that you allowed something, what you allowed and when, and the e-mails about it that we still keep</li>
    <li>your access log, the rules of your apps, and each time that a rule fired</li>
  </ul>
  <p>
    No passwords, tokens or keys are in it: nobody can sign in with it. It is a zip file of JSON and GPX files, and
    <code>manifest.json</code> in it lists them.
  </p>
</section>`

const WORDS: Readonly<Record<Export.ExportState, string>> = {
  requested: "Waiting",
  making: "In progress",
  ready: "Ready",
  failed: "Could not be made",
  expired: "Deleted after 7 days",
  deleted: "Deleted"
}

const history = (earlier: ReadonlyArray<Export.Export>): Html =>
  html`<section class="card" aria-labelledby="earlier">
    <h2 id="earlier">Earlier archives</h2>
    <ul>
      ${earlier.map(
        (one) =>
          html`<li>
            ${time(one.requestedAt)}: ${WORDS[one.state]}${one.fault !== null && html`. ${Export.explain(one.fault)}`}
          </li>`
      )}
    </ul>
  </section>`

/** Who has to confirm first comes back to the page: a download would leave them on the page that asked. */
const afterConfirmation = (portal: string) => seeOther(ReturnTo.confirm(`${portal}${PATH}`))

const request = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      if ((yield* Visitor.confirmed(visitor)) !== null) return afterConfirmation(portal)
      return yield* requestExport(visitor.account.id).pipe(
        Effect.as(seeOther(`${portal}${PATH}?done=export-requested`)),
        Effect.catchTag("Conflict", ({ reason }) => page(portal, visitor, reason))
      )
    })
  )

const fetch = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const id = yield* param("id", ExportId, "export")
      if ((yield* Visitor.confirmed(visitor)) !== null) return afterConfirmation(portal)
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
      yield* deleteExport({ userId: visitor.account.id, id })
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
