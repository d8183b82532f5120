import { type AccessLogQuery as Query, listAccessLog, type ReadableEntry } from "@place-access/domain/access-log"
import { type LoggedApp, listLoggedApps } from "@place-access/domain/connection"
import { listOwnVolumeFlags, type ReadableFlag } from "@place-access/domain/purposes"
import { LocalDays } from "@place-access/domain/fixes"
import { type AppId, TimeZone } from "@place-access/domain/shared"
import { readActivity } from "@place-access/domain/timeline"
import { Array, Effect } from "effect"
import * as AppLogo from "../appLogo.js"
import * as EntryWords from "../../access-log/EntryWords.js"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { forReader, Html, html } from "../../html/Html.js"
import type { Locale } from "../../html/Locale.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { ofDomain, count, heading, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import * as Folded from "../log/Folded.js"
import * as LongPage from "../log/longPage.js"
import { strips } from "../log/strip.js"
import * as AccessLogFile from "./accessLogFile.js"
import * as AccessLogQuery from "./accessLogQuery.js"

const words = texts.accessLog

const LABELS = words.filter

const list = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Form.query
      const query = AccessLogQuery.read(form, yield* Visitor.locale(visitor))
      const { filter, shown } = query
      const cursor = form.value("cursor")
      const from = (cursor: string | undefined, limit: number) =>
        listAccessLog(visitor.account.id, filter, limit, cursor)
      const page = yield* LongPage.read(from, cursor === "" ? undefined : cursor).pipe(
        // When somebody has changed the cursor in the address, the page shows the beginning of the list.
        Effect.catchTag("Invalid", () => LongPage.read(from, undefined))
      )
      const apps = yield* listLoggedApps(visitor.account.id)
      const options = optionsOf(apps, page.entries)
      const problems = [...query.problems, ...AccessLogQuery.notOffered(query, options)]
      const fields = Form.shown(form, problems)
      const flags = cursor === "" ? yield* flagsFor(visitor, filter) : []
      const isFiltered = [...Object.values(shown), cursor].some((value) => value !== "")
      // When a filter cannot be read, the page offers no file, because a request for the file with this filter gets
      // 400.
      const hasFile = page.entries.length > 0 && problems.length === 0
      const path = `${portal}/access-log`
      const reader = yield* Visitor.reader(visitor)
      const details = form.value("details") === "yes"
      const look: Look = {
        locale: reader.locale,
        details,
        icons: new Map(apps.map((app) => [app.id, AppLogo.icon(app)] as const))
      }
      const { activity, days: lastDays } = yield* readActivity(visitor.account.id, reader.locale.zone ?? TimeZone.UTC)
      const addressWith = (more: Readonly<Record<string, string>>) =>
        AccessLogQuery.address(path, query, { ...(details ? { details: "yes" } : {}), ...more })
      return yield* respond({
        title: words.title,
        reader,
        current: path,
        status: problems.length === 0 ? 200 : 400,
        main: html`<h1>${words.title}</h1>
          <p class="lead">${words.lead}</p>
          ${Fields.problems(fields, LABELS)}
          <form class="card filter" method="get" action="${path}">
            ${details && Fields.hidden("details", "yes")}
            <div class="pair">
              ${Fields.select(fields, { name: "app", label: LABELS.app }, [
                { value: "", text: words.filter.allApps },
                ...options.app
              ])}
              ${
                (options.purpose.length > 0 || shown.purpose !== "") &&
                Fields.select(fields, { name: "purpose", label: LABELS.purpose }, [
                  { value: "", text: words.filter.allPurposes },
                  ...options.purpose
                ])
              }
              ${Fields.input(fields, { name: "from", label: LABELS.from, type: "date", required: false })}
              ${Fields.input(fields, { name: "to", label: LABELS.to, type: "date", required: false })}
              <div class="field"><button class="second">${words.filter.show}</button></div>
            </div>
          </form>
          ${!isFiltered && activity.length > 0 && strips({ path, days: lastDays, activity })} ${flags.map(flagged)}
          ${
            // When the filters have a problem, an empty list does not mean that the log has no entries: a filter may
            // name an unknown app. So the page does not say that there are no entries.
            page.entries.length === 0
              ? problems.length === 0 && html`<p class="empty">${isFiltered ? words.nothingHere : words.nothingYet}</p>`
              : days(page.entries, look)
          }
          <p class="actions">
            ${cursor !== "" && html`<a href="${addressWith({})}">${words.newest}</a>`}
            ${page.nextCursor !== null && html`<a class="button second" href="${addressWith({ cursor: page.nextCursor })}">${words.older}</a>`}
            ${hasFile && html`<a href="${AccessLogQuery.address(`${path}.csv`, query)}" download>${words.download}</a>`}
            ${isFiltered && html`<a href="${path}">${words.showEverything}</a>`}
            ${page.entries.length > 0 && html`<a href="${addressWith({ cursor, details: details ? "" : "yes" })}">${details ? words.hideDetails : words.showDetails}</a>`}
          </p>
          ${hasFile && page.nextCursor !== null && html`<p class="soft small">${words.fileHas(AccessLogFile.MAX_ENTRIES)}</p>`}`
      })
    })
  )

/**
 * The apps and purposes that the form offers as filters: all apps that the user ever connected, with their purposes,
 * and the apps and purposes of the shown entries. An entry can name an app that was deleted since.
 */
const optionsOf = (
  apps: ReadonlyArray<LoggedApp>,
  entries: ReadonlyArray<ReadableEntry>
): AccessLogQuery.FilterOptions => ({
  app: distinct([
    ...apps.map(({ id, name }) => ({ value: id, text: name })),
    ...entries.map(({ appId, appName }) => ({ value: appId, text: appName }))
  ]),
  purpose: distinct([
    ...apps.flatMap(({ name, purposes }) =>
      purposes.map(({ description, id }) => ({ value: id, text: html`${name}: ${description}` }))
    ),
    ...entries.flatMap(({ appName, purpose }) =>
      purpose === null ? [] : [{ value: purpose.id, text: html`${appName}: ${purpose.description}` }]
    )
  ])
})

const distinct = (options: ReadonlyArray<AccessLogQuery.FilterOption>) =>
  Array.dedupeWith(options, (a, b) => a.value === b.value)

/**
 * The volume flags that match the filters, for the page, where they can explain the listed entries. A flag says that an
 * app asked more than twice as often in a day as its purpose declares (`VolumeFlag`). The function reads only the
 * newest `FLAGS` flags.
 */
const flagsFor = (visitor: Visitor.Visitor, { appId, from, purposeId, to }: Query) =>
  Effect.map(
    // Only a wrong cursor makes this call fail with `Invalid`. The call has no cursor, so this failure would be a bug.
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
    <h2>${words.flagged.heading(appName)}</h2>
    <p>${words.flagged.text(calls, time(from), time(to), purposeDescription, expectedDailyVolume)}</p>
  </div>`

/**
 * The entries by day, the newest day first. Within a day the entries are grouped by app. The app with the newest entry
 * of the day comes first.
 */
const days = (entries: ReadonlyArray<ReadableEntry>, look: Look): ReadonlyArray<Html> => {
  const zone = look.locale.zone ?? TimeZone.UTC
  return Object.values(Array.groupBy(entries, ({ at }) => LocalDays.dateOf(zone, at))).map(
    (ofDay) =>
      html`<h2>${heading(ofDay[0].at)}</h2>
        ${Object.values(Array.groupBy(ofDay, ({ appId }) => appId)).map((ofApp) => table(ofApp, look))}`
  )
}

/**
 * How the page shows entries. `details`: whether the page shows routes and error codes, which help the app's developer.
 */
export interface Look {
  readonly locale: Locale
  readonly details: boolean
  /** The logos of apps, by id. */
  readonly icons: ReadonlyMap<AppId, Html | false>
}

/** A table of the entries of one app. The example on the front page uses this function too. */
export const table = (entries: ReadonlyArray<ReadableEntry>, look: Look): Html =>
  html`<div class="scroll">
    <table class="stack log">
      <caption>
        <h3 class="named">
          ${entries[0] !== undefined && html`${look.icons.get(entries[0].appId)}${entries[0].appName}`}
        </h3>
        <span>${words.entries(entries.length)}</span>
      </caption>
      <thead>
        <tr>
          <th scope="col">${words.columns.when}</th>
          <th scope="col">${words.columns.request}</th>
          <th scope="col">${words.columns.learned}</th>
          <th scope="col">${words.columns.purpose}</th>
        </tr>
      </thead>
      <tbody>
        ${Folded.fold(entries).map(
          (fold) =>
            html`<tr>
              <td class="nowrap" data-label="${words.columns.when}">${when(fold)}</td>
              <td data-label="${words.columns.request}">${requested(fold, look)}</td>
              <td data-label="${words.learned}">${learned(fold.newest, look)}</td>
              <td data-label="${words.columns.purpose}">${fold.newest.purpose?.description ?? "—"}</td>
            </tr>`
        )}
      </tbody>
    </table>
  </div>`

const when = (fold: Folded.Fold): Html => {
  const last = time(fold.newest.at, "clock")
  return Folded.isOneSecond(fold) ? last : words.span(time(fold.oldest.at, "clock"), last)
}

/** The request in words, and how often it was repeated. */
const requested = ({ newest: { endpoint }, oldest, newest, times }: Folded.Fold, { details }: Look): Html => {
  const deed = EntryWords.deed(endpoint)
  // When a single entry counts several calls, the calls used tokens that no longer work. All calls of one connection to
  // one route with such tokens share one entry for an hour.
  const often = times > 1 && html`<strong>${count(times)} ×</strong> `
  const within = newest === oldest && times > 1 && html`<br /><span class="soft">${words.withinAnHour}</span>`
  return deed === undefined
    ? html`${often}<code>${endpoint}</code>${within}`
    : html`${often}${ofDomain(deed)}${within}${details && html`<br /><code class="soft small">${endpoint}</code>`}`
}

const learned = ({ disclosed, error }: ReadableEntry, { details }: Look): Html => {
  const learned = disclosed === null ? null : capitalised(ofDomain(disclosed))
  if (error === null) return learned ?? words.nothing
  const { label, why } = EntryWords.outcome(error)
  return html`<span class="badge quiet">${ofDomain(label)}</span>
    <span class="soft small">${ofDomain(why)}${details && html` <code>${error}</code>`}</span>
    ${learned !== null && html`<br />${learned}`}`
}

/** The text with a capital letter at its beginning, in any language. */
const capitalised = (text: Html): Html =>
  forReader((locale) => {
    const said = text.in(locale)
    return new Html(said.charAt(0).toUpperCase() + said.slice(1))
  })

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    // In the specification, `{user_portal_url}` is the address of the access log. So the root of the portal redirects
    // to the access log.
    Routes.get(portal, Effect.succeed(seeOther(`${portal}/access-log`))),
    Routes.get(`${portal}/access-log`, list(portal)),
    Routes.get(`${portal}/access-log.csv`, AccessLogFile.download)
  ]
}
