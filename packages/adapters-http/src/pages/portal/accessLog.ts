import { type AccessLogPage, listAccessLog, listLoggedApps, type ReadableEntry } from "@place-access/domain/access-log"
import { listOwnVolumeFlags, Purpose, type ReadableFlag } from "@place-access/domain/purposes"
import { AppId, Timestamp, Words } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import { type Options, portalPath } from "../../HttpOptions.js"
import type { Problem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { clock, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"

const LABELS = { app: "App", purpose: "Purpose", from: "From", to: "To" }
const PAGE = 50

/** A day as `<input type="date">` sends it, in UTC: its first instant. */
const day = (text: string): Option.Option<Timestamp.Timestamp> =>
  Schema.decodeOption(Timestamp.FromIso)(`${text}T00:00:00Z`)

/** Keys are an app's own, so the form names both: `{app id}/{key}`. */
const purposeOf = (text: string) => {
  const [app = "", key = ""] = text.split("/")
  return { appId: Schema.decodeOption(AppId)(app), key: Schema.decodeOption(Purpose.Key)(key) }
}

const list = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const query = yield* Form.query
      const [app, purpose, from, to] = [
        query.value("app"),
        query.value("purpose"),
        query.value("from"),
        query.value("to")
      ]
      const problems: Array<Problem> = []
      const bound = (name: "from" | "to", text: string) => {
        if (text === "") return undefined
        const at = day(text)
        if (Option.isNone(at)) problems.push({ field: name, message: "must be a date" })
        return Option.getOrUndefined(at)
      }
      const first = bound("from", from)
      const last = bound("to", to)
      const named = purposeOf(purpose)
      const appId = Option.orElse(Schema.decodeOption(AppId)(app), () => named.appId)
      // An app and a purpose of another app have nothing in common.
      const isApart = purpose !== "" && app !== "" && !purpose.startsWith(`${app}/`)
      const cursor = query.value("cursor")
      const page: AccessLogPage = isApart
        ? { entries: [], nextCursor: null }
        : yield* listAccessLog(
            visitor.account.id,
            {
              appId: Option.getOrUndefined(appId),
              purpose: Option.getOrUndefined(named.key),
              from: first,
              // The last day counts as a whole.
              to: last === undefined ? undefined : Timestamp.plus(last, Timestamp.DAY)
            },
            PAGE,
            cursor === "" ? undefined : cursor
          ).pipe(
            // A cursor that somebody has tampered with begins the list anew.
            Effect.catchTag("Invalid", () => Effect.succeed<AccessLogPage>({ entries: [], nextCursor: null }))
          )
      const apps = yield* listLoggedApps(visitor.account.id)
      const purposes = apps.flatMap(({ id, name, purposes: own }) =>
        own.map(({ description, key }) => ({ value: `${id}/${key}`, text: `${name}: ${description}` }))
      )
      const form = Form.shown(query, problems)
      const flags = cursor === "" ? yield* flagsFor(visitor, Option.getOrUndefined(appId), first, last) : []
      const isFiltered = [app, purpose, from, to, cursor].some((value) => value !== "")
      const older =
        page.nextCursor === null
          ? null
          : `${portal}/access-log?${new URLSearchParams({ app, purpose, from, to, cursor: page.nextCursor }).toString()}`
      return respond({
        title: "Access log",
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/access-log`,
        status: problems.length === 0 ? 200 : 400,
        main: html`<h1>Access log</h1>
          <p class="lead">
            Every request of every app about you, the newest first. It is written before the app gets its answer. Days
            and times are in UTC.
          </p>
          ${Fields.problems(form, LABELS)}
          <form class="card filter" method="get" action="${portal}/access-log">
            <div class="pair">
              ${Fields.select(form, { name: "app", label: "App" }, [{ value: "", text: "All apps" }, ...apps.map(({ id, name }) => ({ value: id, text: name }))])}
              ${
                purposes.length > 0 &&
                Fields.select(form, { name: "purpose", label: "Purpose" }, [
                  { value: "", text: "All purposes" },
                  ...purposes
                ])
              }
              ${Fields.input(form, { name: "from", label: "From", type: "date", required: false })}
              ${Fields.input(form, { name: "to", label: "To", type: "date", required: false })}
              <div class="field"><button class="second">Show</button></div>
            </div>
          </form>
          ${flags.map(flagged)}
          ${page.entries.length === 0 ? html`<p class="empty">No app has asked anything${isFiltered ? " here" : " yet"}.</p>` : days(page.entries)}
          ${
            (older !== null || isFiltered) &&
            html`<p class="actions">
              ${older !== null && html`<a class="button second" href="${older}">Older</a>`}
              ${isFiltered && html`<a href="${portal}/access-log">Show everything</a>`}
            </p>`
          }`
      })
    })
  )

/** Flags that the entries asked for can explain; the last few are enough to look into. */
const flagsFor = (
  visitor: Visitor.Visitor,
  appId: AppId | undefined,
  from: Timestamp.Timestamp | undefined,
  lastDay: Timestamp.Timestamp | undefined
) =>
  Effect.map(
    // Without a cursor nothing about the page can be wrong.
    Effect.catchTag(listOwnVolumeFlags(visitor.account, { limit: FLAGS, cursor: undefined }), "Invalid", Effect.die),
    ({ flags }) =>
      flags.filter(
        (flag) =>
          (appId === undefined || flag.appId === appId) &&
          (from === undefined || flag.to >= from) &&
          (lastDay === undefined || flag.from < Timestamp.plus(lastDay, Timestamp.DAY))
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

/** In the order of the first of each group: the newest day first, and within it the app that asked last. */
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
              <td data-label="Request"><code>${entry.endpoint}</code></td>
              <td data-label="Learned">${learned(entry)}</td>
              <td data-label="For">${entry.purposeDescription ?? "—"}</td>
            </tr>`
        )}
      </tbody>
    </table>
  </div>`
}

/** Why nothing was learned, in the user's words. */
const REASONS: Readonly<Record<string, string>> = {
  invalid_token: "its key was not good any more",
  missing_scope: "you have not allowed it this",
  scope_expired: "your permission had run out",
  invalid_purpose: "it named no purpose that it may use",
  rate_limited: "it asked too often",
  budget_exceeded: "it asked too often"
}

const learned = ({ disclosed, error, status }: ReadableEntry): Html => {
  if (error === null) return html`${disclosed ?? "Nothing about you"}`
  if (error === "too_old")
    return html`<span class="badge quiet">Withheld</span> <span class="soft small">it was too old to be sent</span>`
  const why = REASONS[error]
  return html`<span class="badge quiet">Refused</span>
    <span class="soft small">${why !== undefined && `${why}: `}${error} (${status})</span>`
}

export const routes = (options: Options) => {
  const portal = portalPath(options)
  return [Routes.get(`${portal}/access-log`, list(portal))]
}
