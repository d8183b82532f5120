import {
  type EvaluatedRule,
  listEvaluationsOfGrant,
  type ListedRule,
  type RecentEvaluations,
  RuleRuns
} from "@place-access/domain/rules"
import { ConnectionId, type EventId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { texts } from "../../languages/index.js"
import { logged } from "../../rules/EvaluationsHttp.js"
import * as Form from "../kit/Form.js"
import { flag, type Html, html } from "../../html/Html.js"
import { respond } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { span, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { appHead, appPath, DEVELOPER, ownApp, type TeamApp } from "./shared.js"

const words = texts.developer.rules

const PAGE = 20

/**
 * Shows the rules of one connection, and for each rule the reasons why it fired or did not fire lately. The page shows
 * only data that the app itself could read at present.
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
    const listing: Listing = { isAlone: rules.length === 1, isPaused }
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
        ${rules.length === 0 ? html`<p class="empty">${words.empty}</p>` : rules.map((one) => ruleSection(app, one, listing))}
        ${
          (cursor !== "" || nextCursor !== null) &&
          html`<p class="actions">
            ${cursor !== "" && html`<a href="${path}">${words.oldest}</a>`}
            ${nextCursor !== null && html`<a class="button second" href="${path}?cursor=${nextCursor}">${words.newer}</a>`}
          </p>`
        }`
    })
  })
)

const BADGES: Readonly<Record<ListedRule["state"], Html>> = {
  active: html`<span class="badge">${words.states.active}</span>`,
  inactive: html`<span class="badge quiet">${words.states.inactive}</span>`,
  disabled: html`<span class="badge warn">${words.states.disabled}</span>`,
  finished: html`<span class="badge quiet">${words.states.finished}</span>`
}

interface Listing {
  /**
   * Whether the rule is the only rule of the page. If so, the page shows the rule in full, because folding a part away
   * would save no space.
   */
  readonly isAlone: boolean
  /** Whether the user has paused the app. If so, the page says so above the rules, and shows no checks. */
  readonly isPaused: boolean
}

/**
 * One rule: its state and its newest check (the evaluation of a reading) are visible, and the rest is folded away.
 * Otherwise each rule would take twenty lines of the page.
 */
const ruleSection = (app: TeamApp, { recent, rule }: EvaluatedRule<ListedRule>, { isAlone, isPaused }: Listing): Html =>
  html`<section aria-labelledby="${rule.id}">
    <h3 id="${rule.id}">
      <code>${rule.target._tag === "Place" ? "place" : "zone"}.${rule.type}</code> ${rule.target.label}
    </h3>
    <p>${BADGES[rule.state]} ${(recent.length > 0 || !isPaused) && newest(rule, recent)}</p>
    <details${flag("open", isAlone)}>
      <summary>${words.checks(recent.length)}</summary>
      <dl>
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
      ${recent.length > 0 && table(app, recent)}
    </details>
  </section>`

/** The rule's newest check (evaluation of a reading) in one line, or the reason why there is no check. */
const newest = (rule: ListedRule, recent: RecentEvaluations.RecentEvaluations): Html => {
  const last = recent.at(-1)
  return html`<span class="soft">
    ${last === undefined ? silence(rule) : words.newest(time(last.capturedAt), html`<code>${last.outcome}</code>`, words.outcomes[last.outcome])}
  </span>`
}

const fact = (name: string, value: Html): Html =>
  html`<dt><code>${name}</code></dt>
    <dd>${value}</dd>`

const silence = (rule: ListedRule): Html =>
  rule.disabledAt !== null ? words.silentDisabled : rule.target._tag === "Zone" ? words.silentZone : words.silentPlace

/**
 * The table of checks (evaluations of readings). The check of the reading that arrived last comes first. Successive
 * checks without effect share a line (rules-12).
 */
const table = (app: TeamApp, recent: RecentEvaluations.RecentEvaluations): Html =>
  Table.stacked(
    [words.measured, words.received, words.decision, words.event],
    RuleRuns.folded(recent)
      .toReversed()
      .map(
        ({ evaluations, outcome }) =>
          html`<tr>
            <td class="nowrap" data-label="${words.measured}">
              ${span(evaluations.map(({ capturedAt }) => capturedAt))}
            </td>
            <td class="nowrap" data-label="${words.received}">
              ${span(evaluations.map(({ receivedAt }) => receivedAt))}
            </td>
            <td data-label="${words.decision}">
              ${evaluations.length > 1 && html`<strong>${evaluations.length} ×</strong> `}<code>${outcome}</code>
              <span class="soft small">${words.outcomes[outcome]}</span>
            </td>
            <td data-label="${words.event}">${eventLink(app, evaluations[0].eventId)}</td>
          </tr>`
      )
  )

const eventLink = (app: TeamApp, id: EventId | null): Html =>
  id === null ? html`—` : html`<a href="${appPath(app)}/deliveries?event=${id}"><code>${id}</code></a>`

export const routes = [Routes.get(`${DEVELOPER}/apps/:app/users/:grant/rules`, show)]
