import {
  type EvaluatedRule,
  listEvaluationsOfGrant,
  type ListedRule,
  type RecentEvaluations,
  type RuleEvaluation
} from "@place-access/domain/rules"
import { ConnectionId, type EventId } from "@place-access/domain/shared"
import type { App } from "@place-access/domain/apps"
import { Effect } from "effect"
import { logged } from "../../rules/EvaluationsHttp.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { row, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { appHead, appPath, DEVELOPER, ownApp } from "./shared.js"

const PAGE = 20

/** The page of one connection's rules, and why each fired lately or did not: what the app itself could read now. */
const show = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const app = yield* ownApp(visitor)
    const grantId = yield* param("grant", ConnectionId, "connection")
    const query = yield* Form.query
    const cursor = query.value("cursor")
    const list = (from: string | undefined) =>
      listEvaluationsOfGrant(visitor.account, app.id, grantId, { limit: PAGE, cursor: from })
    const found = yield* list(cursor === "" ? undefined : cursor).pipe(
      // A cursor that somebody has tampered with: the list starts at its beginning.
      Effect.catchTag("Invalid", () => list(undefined))
    )
    yield* logged(found)
    const { connection, nextCursor, rules } = found
    const path = `${appPath(app)}/users/${grantId}/rules`
    return respond({
      title: `${app.name}: rules of a user`,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      main: html`${appHead(app, "/users")}
        <h2>Rules of <code>${connection.sub}</code></h2>
        <p class="soft">
          ${connection.externalUserId !== null && html`<code>external_user_id</code> ${connection.externalUserId}. `}What
          the last readings of the user’s phone did to each rule, as
          <code>GET /v1/rules/…/evaluations</code> tells the app. The user’s access log says that you looked.
        </p>
        ${rules.length === 0 ? html`<p class="empty">The app has no rules on this connection that it may read.</p>` : rules.map((one) => ruleSection(app, one))}
        ${nextCursor !== null && html`<p><a class="button second" href="${path}?cursor=${nextCursor}">Newer rules</a></p>`}`
    })
  })
)

const BADGES: Readonly<Record<ListedRule["state"], Html>> = {
  active: html`<span class="badge">Active</span>`,
  inactive: html`<span class="badge quiet">Not open yet</span>`,
  disabled: html`<span class="badge warn">Disabled</span>`,
  finished: html`<span class="badge quiet">Finished</span>`
}

const ruleSection = (app: App.App, { recent, rule }: EvaluatedRule<ListedRule>): Html =>
  html`<section aria-labelledby="${rule.id}">
    <h3 id="${rule.id}">
      <code>${rule.target._tag === "Place" ? "place" : "zone"}.${rule.type}</code> ${rule.target.label}
    </h3>
    <dl>
      <dt>State</dt>
      <dd>${BADGES[rule.state]}</dd>
      <dt>Rule</dt>
      <dd><code>${rule.id}</code></dd>
      ${rule.dwellMinutes !== null && fact("dwell_minutes", html`${rule.dwellMinutes}`)}
      ${rule.window.from !== null && fact("active_from", time(rule.window.from))}
      ${rule.window.until !== null && fact("active_until", time(rule.window.until))}
      ${rule.isLegacy && fact("webhook_url", html`${rule.webhookUrl} <span class="badge warn">own address (deprecated)</span>`)}
      ${rule.disabledAt !== null && fact("disabled_at", time(rule.disabledAt))}
    </dl>
    ${recent.length === 0 ? html`<p class="empty">${silence(rule)}</p>` : table(app, recent)}
  </section>`

const fact = (name: string, value: Html): Html =>
  html`<dt><code>${name}</code></dt>
    <dd>${value}</dd>`

const silence = (rule: ListedRule): string =>
  rule.disabledAt !== null
    ? "Nothing is shown while the rule is disabled."
    : rule.target._tag === "Zone"
      ? "No reading was checked yet, or more than twenty zone rules of this connection began within an hour."
      : "No reading was checked yet."

const table = (app: App.App, recent: RecentEvaluations.RecentEvaluations): Html =>
  Table.stacked(
    ["Measured", "Received", "Decision", "Event"],
    recent.toReversed().map(
      ({ capturedAt, eventId, outcome, receivedAt }) =>
        html`<tr>
          <td class="nowrap" data-label="Measured">${time(capturedAt, row)}</td>
          <td class="nowrap" data-label="Received">${time(receivedAt, row)}</td>
          <td data-label="Decision"><code>${outcome}</code> <span class="soft small">${MEANINGS[outcome]}</span></td>
          <td data-label="Event">${eventLink(app, eventId)}</td>
        </tr>`
    )
  )

const eventLink = (app: App.App, id: EventId | null): Html =>
  id === null ? html`—` : html`<a href="${appPath(app)}/deliveries?event=${id}"><code>${id}</code></a>`

const MEANINGS: Readonly<Record<RuleEvaluation.RuleOutcome, string>> = {
  seeded: "the first clear reading: never fires",
  boundary: "too near the edge to decide",
  no_change: "the same side, no dwell due",
  crossed: "a direction that the rule does not ask about",
  stale: "arrived over 15 minutes after its capture, or captured before the rule began",
  cooling_down: "under 2 minutes after the last firing",
  outside_window: "captured outside the window",
  late: "arrived over a day after the window closed",
  out_of_order: "older than a reading that was checked before",
  fired: "an event was sent"
}

export const routes = [Routes.get(`${DEVELOPER}/apps/:app/users/:grant/rules`, show)]
