import { HttpServerResponse } from "@effect/platform"
import { type ConsentHistory, getConnection, listConsentHistory } from "@place-access/domain/connection"
import { ConnectionId, Scope, Timestamp, Words } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Errors from "../../wire/Errors.js"
import { type Html, html, nothing, type Value } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { type ListedConnection, REASONS } from "../portal/connections.js"

// What was agreed in a connection, when and by whom, with a receipt for each change. Decision connection-7.

const connectionId = param("connection", ConnectionId, "connection")

const entryKey = param("entry", Schema.String, "receipt")

type Entry = ConsentHistory.HistoryEntry

const TITLES: Readonly<Record<Entry["change"], string>> = {
  connected: "Connected",
  changed: "Agreed anew",
  renewed: "Exact location renewed",
  permissions_changed: "Permissions changed",
  end_changed: "End moved",
  exact_location_ended: "Exact location ended",
  places_changed: "Places changed",
  paused: "Paused",
  resumed: "Resumed",
  exact_location_removed: "Exact location removed",
  ended: "Ended"
}

const by = ({ by: who, change, endReason }: Entry): string => {
  if (change === "ended") return REASONS[endReason ?? "expired"]
  switch (who) {
    case "consent":
      return "the app asked, and you allowed it"
    case "user":
      return "you changed it here"
    case "app":
      return "the app changed it"
    case "service":
      return "nobody renewed it within 14 days"
  }
}

/** The address of a receipt: time and change, which together name one entry. */
const keyOf = ({ at, change }: Entry): string => `${at}-${change}`

const changes = ({ added, change, pause, removed, sensitiveExpiresAt, standardExpiresAt }: Entry): Html => {
  const isDated = ["connected", "changed", "renewed", "end_changed", "permissions_changed"].includes(change)
  const line = (sign: string, badge: string, words: string): Html =>
    html`<li><span class="badge ${badge}">${sign}</span> ${words}</li>`
  const lines: ReadonlyArray<Value> = [
    ...added.scopes.map((scope) => line("Added", "", Scope.describe[scope])),
    ...added.places.map(({ label }) => line("Added", "", label)),
    ...removed.scopes.map((scope) => line("Removed", "quiet", Scope.describe[scope])),
    ...removed.places.map(({ label }) => line("Removed", "quiet", label)),
    isDated &&
      html`<li>
        ${standardExpiresAt === null ? "Without an end date" : html`The connection ends on ${time(standardExpiresAt)}`}
      </li>`,
    isDated && sensitiveExpiresAt !== null && html`<li>Exact location ends on ${time(sensitiveExpiresAt)}</li>`,
    change === "paused" &&
      html`<li>${pause?.until == null ? "Until you resume it" : html`Until ${time(pause.until)}`}</li>`
  ]
  const told = lines.filter((one) => one !== false)
  return told.length === 0
    ? nothing
    : html`<ul class="plain lines">
        ${told}
      </ul>`
}

const show = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const id = yield* connectionId
      const connection = yield* getConnection(visitor.account.id, id)
      const entries = yield* listConsentHistory(visitor.account.id, id)
      const isWhole = entries.at(-1)?.change === "connected"
      return respond({
        title: `What you agreed with ${connection.app.name}`,
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/connections`,
        width: "middle",
        main: html`<p><a href="${portal}/connections/${id}">${connection.app.name}</a></p>
          <h1>What you agreed, and when</h1>
          <p class="lead">
            Every change of this connection, the newest first. A receipt is a text file with everything that was agreed
            from that moment on.
          </p>
          <ol class="plain">
            ${entries.map(
              (entry) =>
                html`<li class="card">
                  <header>
                    <h2>${TITLES[entry.change]}</h2>
                    <span class="soft small">${time(entry.at)}</span>
                  </header>
                  <p class="soft small">By whom: ${by(entry)}</p>
                  ${changes(entry)}
                  <p class="actions">
                    <a href="${portal}/connections/${id}/history/${keyOf(entry)}" download
                      >Download receipt<span class="unseen">: ${TITLES[entry.change]}, ${time(entry.at)}</span></a
                    >
                  </p>
                </li>`
            )}
          </ol>
          ${
            !isWhole &&
            html`<p class="soft small">
              Connected ${time(connection.connectedAt)}. Changes before the oldest one above are not in this list.
            </p>`
          }`
      })
    })
  )

/** A receipt as plain text: who, what, which places, until when. */
const receiptText = ({ app, id }: ListedConnection, entry: Entry): string => {
  const { at, change, pause, places, scopes, sensitiveExpiresAt, standardExpiresAt } = entry
  const list = (items: ReadonlyArray<string>) =>
    items.length === 0 ? ["  nothing"] : items.map((item) => `  - ${Words.oneLine(item)}`)
  const end = (what: string, date: Timestamp.Timestamp | null, otherwise: string) =>
    `${what}: ${date === null ? otherwise : Words.moment(date)}`
  return [
    "RECEIPT",
    "",
    `App: ${Words.oneLine(app.name)}`,
    `Connection: ${id}`,
    `When: ${Words.moment(at)} (${Timestamp.toIso(at)})`,
    `What: ${TITLES[change]}`,
    `By whom: ${by(entry)}`,
    "",
    "From then on the app could:",
    ...list(scopes.map((scope) => Scope.describe[scope])),
    "",
    "About these places, by their present names:",
    ...list(places.map(({ label }) => label)),
    "",
    change === "ended" ? "The connection has ended." : end("The connection ends", standardExpiresAt, "no end date"),
    ...(change === "ended" ? [] : [end("Exact location ends", sensitiveExpiresAt, "not shared")]),
    ...(change === "paused" ? [end("Paused until", pause?.until ?? null, "the user resumes")] : []),
    ""
  ].join("\n")
}

const receipt = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const id = yield* connectionId
    const key = yield* entryKey
    const connection = yield* getConnection(visitor.account.id, id)
    const entry = (yield* listConsentHistory(visitor.account.id, id)).find((one) => keyOf(one) === key)
    if (entry === undefined) return yield* Effect.fail(Errors.notFound("receipt"))
    const day = Timestamp.toIso(entry.at).slice(0, 10)
    return HttpServerResponse.text(receiptText(connection, entry), {
      contentType: "text/plain; charset=utf-8",
      headers: {
        "content-disposition": `attachment; filename="receipt-${day}-${entry.change}.txt"`,
        "cache-control": "no-store"
      }
    })
  })
)

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(`${portal}/connections/:connection/history`, show(portal)),
    Routes.get(`${portal}/connections/:connection/history/:entry`, receipt)
  ]
}
