import { HttpServerResponse } from "@effect/platform"
import {
  type Connection,
  type ConsentHistory,
  type ConnectionView,
  getConnection,
  listConsentHistory
} from "@place-access/domain/connection"
import { translate } from "@place-access/domain/languages"
import { ConnectionId, type Language, Scope, Timestamp, Words } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Errors from "../../wire/Errors.js"
import { type Html, html, nothing, type Text, type Value } from "../../html/Html.js"
import { respond } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { texts, textsIn } from "../../languages/index.js"
import { ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"

const words = texts.steering.history

// The page with the history of a connection. The page says what the user agreed to, and for each change when it was
// made and by whom. For each change there is a receipt to download. Decisions connection-7, languages-4.

const connectionId = param("connection", ConnectionId, "connection")

const entryKey = param("entry", Schema.String, "receipt")

type Entry = ConsentHistory.HistoryEntry

interface Causes<Said> {
  readonly by: Readonly<Record<ConsentHistory.ChangedBy, Said>>
  readonly endedBy: Readonly<Record<Connection.EndReason, Said>>
}

/**
 * Says who made a change, or why the connection ended. The texts (`Said`) are `Html` on the page and strings in the
 * receipt, which is a text file.
 */
const by = <Said>(say: Causes<Said>, { by: who, change, endReason }: Entry): Said =>
  change === "ended" ? say.endedBy[endReason ?? "expired"] : say.by[who]

/** Puts two groups of texts together: who made a change (`by`), and why a connection ended (`reasons`). */
const causes = <Said>(
  { by }: Pick<Causes<Said>, "by">,
  { reasons }: { readonly reasons: Causes<Said>["endedBy"] }
): Causes<Said> => ({ by, endedBy: reasons })

/**
 * The key of an entry, for the address of its receipt. The time and the kind of the change together identify an entry
 * of the history.
 */
const keyOf = ({ at, change }: Entry): string => `${at}-${change}`

/**
 * When exact location ends according to the entry: at its own end, or with the connection if the connection ends
 * earlier.
 */
const exactEnd = ({ sensitiveExpiresAt, standardExpiresAt }: Entry): Timestamp.Timestamp | null =>
  sensitiveExpiresAt === null ? null : Timestamp.earlier(sensitiveExpiresAt, standardExpiresAt)

/** Whether exact location had already lapsed when the change was made. Only its grace period was then still running. */
const hadEnded = ({ at, sensitiveExpiresAt }: Entry): boolean => sensitiveExpiresAt !== null && sensitiveExpiresAt <= at

const changes = (entry: Entry): Html => {
  const { added, change, pause, removed, standardExpiresAt } = entry
  const exactEndsAt = exactEnd(entry)
  const isDated = ["connected", "changed", "renewed", "end_changed", "permissions_changed"].includes(change)
  const line = (sign: Html, badge: string, what: Text): Html =>
    html`<li><span class="badge ${badge}">${sign}</span> ${what}</li>`
  const lines: ReadonlyArray<Value> = [
    ...added.scopes.map((scope) => line(words.added, "", ofDomain(Scope.describe[scope]))),
    ...added.places.map(({ label }) => line(words.added, "", label)),
    ...added.earlierVisits.map(({ label }) => line(words.added, "", words.earlierVisits(label))),
    ...removed.scopes.map((scope) => line(words.removed, "quiet", ofDomain(Scope.describe[scope]))),
    ...removed.places.map(({ label }) => line(words.removed, "quiet", label)),
    ...removed.earlierVisits.map(({ label }) => line(words.removed, "quiet", words.earlierVisits(label))),
    isDated &&
      html`<li>${standardExpiresAt === null ? words.noEnd : words.connectionEnds(time(standardExpiresAt))}</li>`,
    isDated &&
      exactEndsAt !== null &&
      html`<li>${(hadEnded(entry) ? words.exactEnded : words.exactEnds)(time(exactEndsAt))}</li>`,
    change === "paused" && html`<li>${pause?.until == null ? words.untilResumed : words.until(time(pause.until))}</li>`
  ]
  const facts = lines.filter((one) => one !== false)
  return facts.length === 0
    ? nothing
    : html`<ul class="plain lines">
        ${facts}
      </ul>`
}

const show = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const id = yield* connectionId
      const connection = yield* getConnection(visitor.account.id, id)
      const entries = yield* listConsentHistory(visitor.account.id, id)
      const isWhole = entries.at(-1)?.change === "connected"
      return yield* respond({
        title: words.title(connection.app.name),
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/connections`,
        width: "middle",
        main: html`<p><a href="${portal}/connections/${id}">${connection.app.name}</a></p>
          <h1>${words.heading}</h1>
          <p class="lead">${words.lead}</p>
          <ol class="plain">
            ${entries.map(
              (entry) =>
                html`<li class="card">
                  <header>
                    <h2>${words.changes[entry.change]}</h2>
                    <span class="soft small">${time(entry.at)}</span>
                  </header>
                  <p class="soft small">${words.byWhom(by(causes<Html>(words, texts.portal.connections), entry))}</p>
                  ${changes(entry)}
                  <p class="actions">
                    <a href="${portal}/connections/${id}/history/${keyOf(entry)}" download
                      >${words.receipt}<span class="unseen"
                        >${words.receiptOf(words.changes[entry.change], time(entry.at))}</span
                      ></a
                    >
                  </p>
                </li>`
            )}
          </ol>
          ${!isWhole && html`<p class="soft small">${words.incomplete(time(connection.connectedAt))}</p>`}`
      })
    })
  )

/**
 * A receipt as plain text: the app, the scopes, the places and the end dates. The times are in UTC, because a saved
 * file does not change when the user later chooses another time zone.
 */
const receiptText = ({ app, id }: ConnectionView.UserConnection, entry: Entry, language: Language.Language): string => {
  const { at, change, earlierVisits, pause, places, scopes, standardExpiresAt } = entry
  const exactEndsAt = exactEnd(entry)
  const { portal, steering } = textsIn(language)
  const { history, receipt: say } = steering
  const moment = (one: Timestamp.Timestamp) => Words.inZone(Words.moment(one), null, language)
  const list = (items: ReadonlyArray<string>) =>
    items.length === 0 ? [`  ${say.nothing}`] : items.map((item) => `  - ${Words.oneLine(item)}`)
  const ends = [
    standardExpiresAt === null ? say.connectionHasNoEnd : say.connectionEnds(moment(standardExpiresAt)),
    exactEndsAt === null
      ? say.exactIsNotShared
      : (hadEnded(entry) ? say.exactEnded : say.exactEnds)(moment(exactEndsAt))
  ]
  const could = hadEnded(entry) ? scopes.filter((scope) => !Scope.isSensitive(scope)) : scopes
  return [
    say.heading,
    "",
    say.app(Words.oneLine(app.name)),
    say.connection(id),
    say.when(moment(at), Timestamp.toIso(at)),
    say.what(history.changes[change]),
    say.byWhom(by(causes<string>(history, portal.connections), entry)),
    "",
    say.could,
    ...list(could.map((scope) => translate(Scope.describe[scope], language))),
    "",
    say.places,
    ...list(places.map(({ label }) => label)),
    ...(earlierVisits === null ? [] : ["", say.earlierVisits, ...list(earlierVisits.map(({ label }) => label))]),
    "",
    ...(change === "ended" ? [say.hasEnded] : ends),
    ...(change === "paused"
      ? [pause?.until == null ? say.pausedUntilResumed : say.pausedUntil(moment(pause.until))]
      : []),
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
    const { language } = yield* Visitor.locale(visitor)
    return HttpServerResponse.text(receiptText(connection, entry, language), {
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
