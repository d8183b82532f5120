import { type AccessLogQuery as Query, listAccessLog, type ReadableEntry } from "@place-access/domain/access-log"
import { listLoggedApps } from "@place-access/domain/connection"
import { listOwnVolumeFlags, type ReadableFlag } from "@place-access/domain/purposes"
import { Words } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as EntryWords from "../../access-log/EntryWords.js"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { clock, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import * as AccessLogFile from "./accessLogFile.js"
import * as AccessLogQuery from "./accessLogQuery.js"

const LABELS = { app: "App", purpose: "Purpose", from: "From", to: "To" }
const PAGE = 50

const list = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Form.query
      const query = AccessLogQuery.read(form)
      const { filter, shown } = query
      const cursor = form.value("cursor")
      const from = (cursor: string | undefined) => listAccessLog(visitor.account.id, filter, PAGE, cursor)
      const page = yield* from(cursor === "" ? undefined : cursor).pipe(
        // A cursor that somebody has tampered with: the list starts at its beginning.
        Effect.catchTag("Invalid", () => from(undefined))
      )
      const apps = yield* listLoggedApps(visitor.account.id)
      const purposes = apps.flatMap(({ name, purposes: own }) =>
        own.map(({ description, id }) => ({ value: id, text: `${name}: ${description}` }))
      )
      const fields = Form.shown(form, query.problems)
      const flags = cursor === "" ? yield* flagsFor(visitor, filter) : []
      const isFiltered = [...Object.values(shown), cursor].some((value) => value !== "")
      const path = `${portal}/access-log`
      return respond({
        title: "Access log",
        reader: yield* Visitor.reader(visitor),
        current: path,
        status: query.problems.length === 0 ? 200 : 400,
        main: html`<h1>Access log</h1>
          <p class="lead">
            Every request of every app about you and everything that apps were to be told, the newest first. It is
            written before the app gets its answer. Days and times are in UTC.
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
          ${flags.map(flagged)}
          ${page.entries.length === 0 ? html`<p class="empty">No app has asked anything${isFiltered ? " here" : " yet"}.</p>` : days(page.entries)}
          <p class="actions">
            ${page.nextCursor !== null && html`<a class="button second" href="${AccessLogQuery.address(path, query, { cursor: page.nextCursor })}">Older</a>`}
            ${page.entries.length > 0 && html`<a href="${AccessLogQuery.address(`${path}.csv`, query)}" download>Download as a table (CSV)</a>`}
            ${isFiltered && html`<a href="${path}">Show everything</a>`}
          </p>
          ${page.nextCursor !== null && html`<p class="soft small">The file has the newest ${AccessLogFile.MAX_ENTRIES.toLocaleString("en")} entries of these.</p>`}`
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
      ${Words.count(calls, "time")} from ${time(from)} to ${time(to)} for “${purposeDescription}”, where it had said
      that ${expectedDailyVolume} a day is the most it needs. Those who run this service look into it. If you do not
      want it, disconnect the app.
    </p>
  </div>`

/**
 * Groups the entries in the order of each group's first entry: the newest day first, and within a day the app that
 * asked last.
 */
const groups = <A>(items: ReadonlyArray<A>, by: (item: A) => string): ReadonlyArray<readonly [string, Array<A>]> => {
  const found = new Map<string, Array<A>>()
  for (const item of items) {
    const group = found.get(by(item))
    if (group === undefined) found.set(by(item), [item])
    else group.push(item)
  }
  return [...found]
}

const days = (entries: ReadonlyArray<ReadableEntry>): ReadonlyArray<Html> =>
  groups(entries, ({ at }) => Words.day(at)).map(
    ([name, ofDay]) =>
      html`<h2>${name}</h2>
        ${groups(ofDay, ({ appId }) => appId).map(([, ofApp]) => table(ofApp))}`
  )

const table = (entries: ReadonlyArray<ReadableEntry>): Html => {
  const app = entries[0]?.appName ?? ""
  return html`<div class="scroll">
    <table class="stack log">
      <caption>
        <h3>${app}</h3>
        <span>${Words.count(entries.length, "entry", "entries")}</span>
      </caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Request</th>
          <th scope="col">What it learned</th>
          <th scope="col">For</th>
        </tr>
      </thead>
      <tbody>
        ${entries.map(
          (entry) =>
            html`<tr>
              <td class="nowrap" data-label="When">${time(entry.at, clock)}</td>
              <td data-label="Request">${requested(entry)}</td>
              <td data-label="Learned">${learned(entry)}</td>
              <td data-label="For">${entry.purpose?.description ?? "—"}</td>
            </tr>`
        )}
      </tbody>
    </table>
  </div>`
}

/** The request in words, and its route as the app's developer knows it. */
const requested = ({ endpoint }: ReadableEntry): Html => {
  const deed = EntryWords.deed(endpoint)
  return deed === undefined
    ? html`<code>${endpoint}</code>`
    : html`${deed}<br /><code class="soft small">${endpoint}</code>`
}

const learned = ({ disclosed, error }: ReadableEntry): Html => {
  const words = disclosed === null ? null : disclosed.charAt(0).toUpperCase() + disclosed.slice(1)
  if (error === null) return html`${words ?? "Nothing about you"}`
  const { label, why } = EntryWords.outcome(error)
  return html`<span class="badge quiet">${label}</span>
    <span class="soft small">${why !== "" && `${why} `}(${error})</span>
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
