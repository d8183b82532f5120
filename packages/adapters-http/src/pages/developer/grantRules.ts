import {
  type EvaluatedRule,
  listEvaluationsOfGrant,
  type ListedRule,
  type RecentEvaluations
} from "@place-access/domain/rules"
import { ConnectionId, type EventId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { texts } from "../../languages/index.js"
import { logged } from "../../rules/EvaluationsHttp.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { respond } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { appHead, appPath, DEVELOPER, ownApp, type TeamApp } from "./shared.js"

const words = texts.developer.rules

const PAGE = 20

/**
 * Shows the rules of one connection, and for each rule why it fired lately or did not. The page shows only what the app
 * itself could read now.
 */
const show = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const app = yield* ownApp(visitor, "develop")
    const grantId = yield* param("grant", ConnectionId, "connection")
    const query = yield* Form.query
    const cursor = query.value("cursor")
    const list = (from: string | undefined) =>
      listEvaluationsOfGrant(visitor.account, app.id, grantId, { limit: PAGE, cursor: from })
    const found = yield* list(cursor === "" ? undefined : cursor).pipe(
      // When somebody has changed the cursor in the address, the page shows the beginning of the list.
      Effect.catchTag("Invalid", () => list(undefined))
    )
    yield* logged(found)
    const { connection, isPaused, nextCursor, rules } = found
    const path = `${appPath(app)}/users/${grantId}/rules`
    return yield* respond({
      title: words.title(app.name),
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      main: html`${appHead(app, "/users")}
        <h2>${words.heading(connection.sub)}</h2>
        <p class="soft">
          ${connection.externalUserId !== null && html`<code>external_user_id</code> ${connection.externalUserId}. `}${words.lead}
        </p>
        ${isPaused && html`<div class="note warn"><p>${words.paused}</p></div>`}
        ${rules.length === 0 ? html`<p class="empty">${words.empty}</p>` : rules.map((one) => ruleSection(app, one, isPaused))}
        ${nextCursor !== null && html`<p><a class="button second" href="${path}?cursor=${nextCursor}">${words.newer}</a></p>`}`
    })
  })
)

const BADGES: Readonly<Record<ListedRule["state"], Html>> = {
  active: html`<span class="badge">${words.states.active}</span>`,
  inactive: html`<span class="badge quiet">${words.states.inactive}</span>`,
  disabled: html`<span class="badge warn">${words.states.disabled}</span>`,
  finished: html`<span class="badge quiet">${words.states.finished}</span>`
}

const ruleSection = (app: TeamApp, { recent, rule }: EvaluatedRule<ListedRule>, isPaused: boolean): Html =>
  html`<section aria-labelledby="${rule.id}">
    <h3 id="${rule.id}">
      <code>${rule.target._tag === "Place" ? "place" : "zone"}.${rule.type}</code> ${rule.target.label}
    </h3>
    <dl>
      <dt>${words.state}</dt>
      <dd>${BADGES[rule.state]}</dd>
      <dt>${words.rule}</dt>
      <dd><code>${rule.id}</code></dd>
      ${rule.dwellMinutes !== null && fact("dwell_minutes", html`${rule.dwellMinutes}`)}
      ${rule.settleS !== null && fact("settle_s", html`${rule.settleS}`)}
      ${rule.silenceS !== null && fact("silence_s", html`${rule.silenceS}`)}
      ${rule.window.from !== null && fact("active_from", time(rule.window.from))}
      ${rule.window.until !== null && fact("active_until", time(rule.window.until))}
      ${rule.isLegacy && fact("webhook_url", html`${rule.webhookUrl} <span class="badge warn">${words.ownAddress}</span>`)}
      ${rule.disabledAt !== null && fact("disabled_at", time(rule.disabledAt))}
    </dl>
    ${recent.length > 0 ? table(app, recent) : !isPaused && html`<p class="empty">${silence(rule)}</p>`}
  </section>`

const fact = (name: string, value: Html): Html =>
  html`<dt><code>${name}</code></dt>
    <dd>${value}</dd>`

const silence = (rule: ListedRule): Html =>
  rule.disabledAt !== null ? words.silentDisabled : rule.target._tag === "Zone" ? words.silentZone : words.silentPlace

const table = (app: TeamApp, recent: RecentEvaluations.RecentEvaluations): Html =>
  Table.stacked(
    [words.measured, words.received, words.decision, words.event],
    recent.toReversed().map(
      ({ capturedAt, eventId, outcome, receivedAt }) =>
        html`<tr>
          <td class="nowrap" data-label="${words.measured}">${time(capturedAt, "row")}</td>
          <td class="nowrap" data-label="${words.received}">${time(receivedAt, "row")}</td>
          <td data-label="${words.decision}">
            <code>${outcome}</code> <span class="soft small">${words.outcomes[outcome]}</span>
          </td>
          <td data-label="${words.event}">${eventLink(app, eventId)}</td>
        </tr>`
    )
  )

const eventLink = (app: TeamApp, id: EventId | null): Html =>
  id === null ? html`—` : html`<a href="${appPath(app)}/deliveries?event=${id}"><code>${id}</code></a>`

export const routes = [Routes.get(`${DEVELOPER}/apps/:app/users/:grant/rules`, show)]
