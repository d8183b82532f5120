import { getConnection } from "@place-access/domain/connection"
import { getEvaluationsOfUser, type RecentEvaluations, type Rule, RuleRuns } from "@place-access/domain/rules"
import { ConnectionId, RuleId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { type Html, html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { row, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { bar } from "./ruleBar.js"
import { evaluation, sentence } from "./ruleWords.js"

/** The page of one rule: why the app was notified about the user, or was not. */
const show = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const connectionId = yield* param("connection", ConnectionId, "connection")
      const { app } = yield* getConnection(visitor.account.id, connectionId)
      const ruleId = yield* param("rule", RuleId, "rule")
      const { recent, rule } = yield* getEvaluationsOfUser(visitor.account.id, connectionId, ruleId)
      return respond({
        title: `A rule of ${app.name}`,
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/connections`,
        width: "middle",
        main: html`<p><a href="${portal}/connections/${connectionId}">${app.name}</a></p>
          <h1>Notifications for ${app.name}</h1>
          <p class="lead">${sentence(rule, app.name)}.</p>
          <h2>The last readings of your phone</h2>
          <p class="soft">
            What each reading did to this rule, the last to arrive first. ${app.name} can read this list too, but never
            where you were. The notifications that it got are in
            <a href="${portal}/access-log?app=${app.id}">your access log</a>.
          </p>
          ${recent.length === 0 ? html`<p class="empty">This rule has checked no reading yet.</p>` : html`${bar(rule, recent)}${table(rule, recent, app.name)}`}`
      })
    })
  )

/** The last to arrive first. Readings in a row that changed nothing are one line. */
const table = (rule: Rule.Rule, recent: RecentEvaluations.RecentEvaluations, appName: string): Html =>
  Table.stacked(
    ["Measured", "What it did"],
    RuleRuns.folded(recent)
      .toReversed()
      .map(
        (run) =>
          html`<tr>
            <td class="nowrap" data-label="Measured">${measured(run)}</td>
            <td data-label="What it did">${words(rule, run, appName)}</td>
          </tr>`
      )
  )

const measured = ({ evaluations }: RuleRuns.OutcomeRun): Html => {
  const times = evaluations.map(({ capturedAt }) => capturedAt).sort((a, b) => a - b)
  const [first = evaluations[0].capturedAt, last = first] = [times[0], times.at(-1)]
  return first === last
    ? time(first, row)
    : html`${time(first, row)} to<br />
        ${time(last, row)}`
}

const words = (rule: Rule.Rule, { evaluations, outcome }: RuleRuns.OutcomeRun, appName: string): Html => {
  const text = evaluation(rule, evaluations[0], appName)
  if (evaluations.length > 1) return html`<strong>${evaluations.length} ×</strong> ${text}`
  return outcome === "fired" ? html`<strong>${text}</strong>` : html`${text}`
}

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [Routes.get(`${portal}/connections/:connection/rules/:rule`, show(portal))]
}
