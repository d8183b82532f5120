import { type AccessLogQuery as Query, listAccessLog, type ReadableEntry } from "@place-access/domain/access-log"
import { listLoggedApps } from "@place-access/domain/connection"
import { listOwnVolumeFlags, type ReadableFlag } from "@place-access/domain/purposes"
import { TimeZone } from "@place-access/domain/shared"
import { readAsked } from "@place-access/domain/timeline"
import { Array, Effect } from "effect"
import * as EntryWords from "../../access-log/EntryWords.js"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { inText, clock, type Clock, count, heading, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import * as Folded from "../log/Folded.js"
import * as LongPage from "../log/longPage.js"
import { strips } from "../log/strip.js"
import * as AccessLogFile from "./accessLogFile.js"
import * as AccessLogQuery from "./accessLogQuery.js"

const LABELS = { app: "App", purpose: "Purpose", from: "From", to: "To" }

const list = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Form.query
      const query = AccessLogQuery.read(form, yield* Visitor.clock(visitor))
      const { filter, shown } = query
      const cursor = form.value("cursor")
      const from = (cursor: string | undefined, limit: number) =>
        listAccessLog(visitor.account.id, filter, limit, cursor)
      const page = yield* LongPage.read(from, cursor === "" ? undefined : cursor).pipe(
        // A cursor that somebody has tampered with: the list starts at its beginning.
        Effect.catchTag("Invalid", () => LongPage.read(from, undefined))
      )
      const apps = yield* listLoggedApps(visitor.account.id)
      const purposes = apps.flatMap(({ name, purposes: own }) =>
        own.map(({ description, id }) => ({ value: id, text: `${name}: ${description}` }))
      )
      const fields = Form.shown(form, query.problems)
      const flags = cursor === "" ? yield* flagsFor(visitor, filter) : []
      const isFiltered = [...Object.values(shown), cursor].some((value) => value !== "")
      const path = `${portal}/access-log`
      const reader = yield* Visitor.reader(visitor)
      const details = form.value("details") === "yes"
      const look: Look = { clock: reader.clock, details }
      const { asked, days: lastDays } = yield* readAsked(visitor.account.id, reader.clock.zone ?? TimeZone.UTC)
      const again = (more: Readonly<Record<string, string>>) =>
        AccessLogQuery.address(path, query, { ...(details ? { details: "yes" } : {}), ...more })
      return respond({
        title: "Access log",
        reader,
        current: path,
        status: query.problems.length === 0 ? 200 : 400,
        main: html`<h1>Access log</h1>
          <p class="lead">
            Every request of every app about you and everything that apps were to be told, the newest first. It is
            written before the app gets its answer. Repeats are one line.
          </p>
          ${Fields.problems(fields, LABELS)}
          <form class="card filter" method="get" action="${path}">
            <div class="pair">
              ${Fields.select(fields, { name: "app", label: "App" }, [
                { value: "", text: "All apps" },
                ...apps.map(({ id, name }) => ({ value: id, text: name }))
              ])}
              ${
                purposes.length > 0 &&
                Fields.select(fields, { name: "purpose", label: "Purpose" }, [
                  { value: "", text: "All purposes" },
                  ...purposes
                ])
              }
              ${Fields.input(fields, { name: "from", label: "From", type: "date", required: false })}
              ${Fields.input(fields, { name: "to", label: "To", type: "date", required: false })}
              <div class="field"><button class="second">Show</button></div>
            </div>
          </form>
          ${!isFiltered && asked.length > 0 && strips({ path, days: lastDays, asked, clock: reader.clock })}
          ${flags.map(flagged)}
          ${page.entries.length === 0 ? html`<p class="empty">No app has asked anything${isFiltered ? " here" : " yet"}.</p>` : days(page.entries, look)}
          <p class="actions">
            ${page.nextCursor !== null && html`<a class="button second" href="${again({ cursor: page.nextCursor })}">Older</a>`}
            ${page.entries.length > 0 && html`<a href="${AccessLogQuery.address(`${path}.csv`, query)}" download>Download as a table (CSV)</a>`}
            ${isFiltered && html`<a href="${path}">Show everything</a>`}
            ${page.entries.length > 0 && html`<a href="${again({ cursor, details: details ? "" : "yes" })}">${details ? "Hide technical details" : "Show technical details"}</a>`}
          </p>
          ${page.nextCursor !== null && html`<p class="soft small">The file has the newest ${count(AccessLogFile.MAX_ENTRIES)} entries of these.</p>`}`
      })
    })
  )

/** The volume flags that can explain the listed entries. The last few are enough to look into. */
const flagsFor = (visitor: Visitor.Visitor, { appId, from, purposeId, to }: Query) =>
  Effect.map(
    // Without a cursor the page cannot be invalid.
    Effect.catchTag(listOwnVolumeFlags(visitor.account, { limit: FLAGS, cursor: undefined }), "Invalid", Effect.die),
    ({ flags }) =>
      flags.filter(
        (flag) =>
          (appId === undefined || flag.appId === appId) &&
          (purposeId === undefined || flag.purposeId === purposeId) &&
          (from === undefined || flag.to >= from) &&
          (to === undefined || flag.from < to)
      )
  )

const FLAGS = 20

const flagged = ({ appName, calls, expectedDailyVolume, from, purposeDescription, to }: ReadableFlag): Html =>
  html`<div class="note warn">
    <h2>${appName} asked unusually often</h2>
    <p>
      ${count(calls)} ${calls === 1 ? "time" : "times"} from ${time(from)} to ${time(to)} for “${purposeDescription}”,
      where it had said that ${count(expectedDailyVolume)} a day is the most it needs. Those who run this service look
      into it. If you do not want it, disconnect the app.
    </p>
  </div>`

/** The days of the entries, the newest first, and in a day the app that asked last first. */
const days = (entries: ReadonlyArray<ReadableEntry>, look: Look): ReadonlyArray<Html> => {
  const byDay = Array.groupBy(entries, ({ at }) => heading(at, look.clock))
  return Object.entries(byDay).map(
    ([name, ofDay]) =>
      html`<h2>${name}</h2>
        ${Object.values(Array.groupBy(ofDay, ({ appId }) => appId)).map((ofApp) => table(ofApp, look))}`
  )
}

/** How entries are shown. `details`: with routes and codes, as the app's developer knows them. */
interface Look {
  readonly clock: Clock
  readonly details: boolean
}

const table = (entries: ReadonlyArray<ReadableEntry>, look: Look): Html =>
  html`<div class="scroll">
    <table class="stack log">
      <caption>
        <h3>${entries[0]?.appName ?? ""}</h3>
        <span>${count(entries.length)} ${entries.length === 1 ? "entry" : "entries"}</span>
      </caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Request</th>
          <th scope="col">What it learned</th>
          <th scope="col">Purpose</th>
        </tr>
      </thead>
      <tbody>
        ${Folded.fold(entries).map(
          (fold) =>
            html`<tr>
              <td class="nowrap" data-label="When">${when(fold)}</td>
              <td data-label="Request">${requested(fold, look)}</td>
              <td data-label="Learned">${learned(fold.newest, look)}</td>
              <td data-label="Purpose">${fold.newest.purpose?.description ?? "—"}</td>
            </tr>`
        )}
      </tbody>
    </table>
  </div>`

const when = ({ newest, oldest }: Folded.Fold): Html =>
  newest === oldest
    ? time(newest.at, clock)
    : html`${time(oldest.at, clock)} to<br />
        ${time(newest.at, clock)}`

/** The request in words, and how often it was repeated. */
const requested = ({ newest: { endpoint }, oldest, newest, times }: Folded.Fold, { details }: Look): Html => {
  const deed = EntryWords.deed(endpoint)
  // One entry with a number counts calls with a dead token, of which an hour is one entry.
  const often = times > 1 && html`<strong>${count(times)} ×</strong> `
  const within = newest === oldest && times > 1 && html`<br /><span class="soft">within an hour</span>`
  return deed === undefined
    ? html`${often}<code>${endpoint}</code>${within}`
    : html`${often}${deed}${within}${details && html`<br /><code class="soft small">${endpoint}</code>`}`
}

const learned = ({ disclosed, error }: ReadableEntry, { details }: Look): Html => {
  const words = disclosed === null ? null : inText(disclosed.charAt(0).toUpperCase() + disclosed.slice(1))
  if (error === null) return html`${words ?? "Nothing about you"}`
  const { label, why } = EntryWords.outcome(error)
  return html`<span class="badge quiet">${label}</span>
    <span class="soft small">${why}${details && html` <code>${error}</code>`}</span>
    ${words !== null && html`<br />${words}`}`
}

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    // The specification's `{user_portal_url}` is the address of the access log, so the portal's root leads there.
    Routes.get(portal, Effect.succeed(seeOther(`${portal}/access-log`))),
    Routes.get(`${portal}/access-log`, list(portal)),
    Routes.get(`${portal}/access-log.csv`, AccessLogFile.download)
  ]
}
