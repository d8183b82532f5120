import type { AppFigures } from "@place-access/domain/figures"
import { listAppCalls, readAppFigures } from "@place-access/domain/figures"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import * as Form from "../kit/Form.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { appHead, appPath, DEVELOPER, ownApp } from "./shared.js"

const words = texts.developer.calls

const PAGE = 50

/** Lists the app's own calls. The list does not say which people the calls were about (decision figures-2). */
const list = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const app = yield* ownApp(visitor, "read")
    const query = yield* Form.query
    const refusedOnly = query.value("which") === "errors"
    const cursor = query.value("cursor")
    const from = (given: string | undefined) =>
      listAppCalls(visitor.account, app.id, { refusedOnly }, { limit: PAGE, cursor: given })
    const { calls, nextCursor } = yield* from(cursor === "" ? undefined : cursor).pipe(
      // When somebody has changed the cursor in the address, the page shows the beginning of the list.
      Effect.catchTag("Invalid", () => from(undefined))
    )
    const now = yield* Timestamp.now
    const week = [Timestamp.plus(now, -7 * Timestamp.DAY), Timestamp.plus(now, 1)]
    const { days } = yield* readAppFigures(visitor.account, app.id, week)
    const unlisted = days[0]?.unlisted ?? 0
    const path = `${appPath(app)}/calls`
    const own = refusedOnly ? `${path}?which=errors` : path
    const choice = (address: string, name: Html, isCurrent: boolean) =>
      html`<a href="${address}" ${isCurrent && new Html(' aria-current="page"')}>${name}</a>`
    return yield* respond({
      title: words.title(app.name),
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      main: html`${appHead(app, "/calls")}
        <p class="soft">${words.lead}</p>
        <nav class="tabs" aria-label="${words.which}">
          ${choice(path, words.all, !refusedOnly)}${choice(`${path}?which=errors`, words.refused, refusedOnly)}
        </nav>
        ${calls.length === 0 ? html`<p class="empty">${refusedOnly ? words.noneRefused : words.empty}</p>` : table(calls)}
        ${unlisted > 0 && html`<p class="soft small">${words.unlisted(unlisted)}</p>`}
        <p class="actions">
          ${cursor !== "" && html`<a href="${own}">${words.newest}</a>`}
          ${
            nextCursor !== null &&
            html`<a class="button second" href="${path}?${older(refusedOnly, nextCursor)}">${words.older}</a>`
          }
        </p>`
    })
  })
)

const older = (refusedOnly: boolean, cursor: string): string =>
  new URLSearchParams({ ...(refusedOnly ? { which: "errors" } : {}), cursor }).toString()

const table = (calls: ReadonlyArray<AppFigures.LoggedCall>): Html =>
  Table.stacked(
    [words.at, words.endpoint, words.status, words.error, words.requestId],
    calls.map(
      ({ at, endpoint, error, requestId, status }) =>
        html`<tr>
          <td class="nowrap" data-label="${words.at}">${time(at, "row")}</td>
          <td data-label="${words.endpoint}">${Table.code(endpoint)}</td>
          <td data-label="${words.status}">
            ${error === null ? status : html`<span class="badge bad">${status}</span>`}
          </td>
          <td data-label="${words.error}">${error === null ? "—" : Table.code(error)}</td>
          <td data-label="${words.requestId}"><code class="whole">${requestId}</code></td>
        </tr>`
    )
  )

export const routes = [Routes.get(`${DEVELOPER}/apps/:app/calls`, list)]
