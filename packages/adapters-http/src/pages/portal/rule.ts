import { getConnection } from "@place-access/domain/connection"
import {
  getEvaluationsOfUser,
  type RecentEvaluations,
  removeRuleOfUser,
  type Rule,
  RuleRuns
} from "@place-access/domain/rules"
import { ConnectionId, RuleId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Removal from "../kit/Removal.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { span } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { pausedBadge } from "../steering/controls.js"
import { bar } from "./ruleBar.js"
import { evaluation, sentence, stateBadge } from "./ruleWords.js"

const words = texts.rules

/** The page of one rule. The page says why the app was notified about the user, or why the app was not notified. */
const show = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const connectionId = yield* param("connection", ConnectionId, "connection")
      const connection = yield* getConnection(visitor.account.id, connectionId)
      const { app } = connection
      const ruleId = yield* param("rule", RuleId, "rule")
      const { recent, rule } = yield* getEvaluationsOfUser(visitor.account.id, connectionId, ruleId)
      return yield* respond({
        title: words.title(app.name),
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/connections`,
        width: "middle",
        main: html`<p><a href="${portal}/connections/${connectionId}">${app.name}</a></p>
          <h1>${words.heading(app.name)}</h1>
          <p class="lead sentence">${sentence(rule, app.name)}.</p>
          ${(rule.state !== "active" || connection.pause !== null) && html`<p>${stateBadge(rule)} ${pausedBadge(connection)}</p>`}
          <h2>${words.readings}</h2>
          <p class="soft">${words.explained(app.name, `${portal}/access-log?app=${app.id}`)}</p>
          ${recent.length === 0 ? html`<p class="empty">${words.none}</p>` : html`${bar(rule, recent)}${table(rule, recent, app.name)}`}`
      })
    })
  )

/**
 * The table of evaluations. The reading that arrived last comes first. Consecutive readings that changed nothing share
 * one line.
 */
const table = (rule: Rule.Rule, recent: RecentEvaluations.RecentEvaluations, appName: string): Html =>
  Table.stacked(
    [words.measured, words.did],
    RuleRuns.folded(recent)
      .toReversed()
      .map(
        (run) =>
          html`<tr>
            <td class="nowrap" data-label="${words.measured}">
              ${span(run.evaluations.map(({ capturedAt }) => capturedAt))}
            </td>
            <td data-label="${words.did}">${effectOf(rule, run, appName)}</td>
          </tr>`
      )
  )

const effectOf = (rule: Rule.Rule, { evaluations, outcome }: RuleRuns.OutcomeRun, appName: string): Html => {
  const text = evaluation(rule, evaluations[0], appName)
  if (evaluations.length > 1) return html`<strong>${evaluations.length} ×</strong> ${text}`
  return outcome === "fired" ? html`<strong>${text}</strong>` : text
}

const remove = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const { id } = yield* getConnection(visitor.account.id, yield* param("connection", ConnectionId, "connection"))
      const rule = yield* param("rule", RuleId, "rule")
      yield* Removal.once("rule", removeRuleOfUser(visitor.account.id, id, rule))
      return seeOther(`${portal}/connections/${id}?done=rule-removed`)
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(`${portal}/connections/:connection/rules/:rule`, show(portal)),
    Routes.post(`${portal}/connections/:connection/rules/:rule/remove`, remove(portal))
  ]
}
