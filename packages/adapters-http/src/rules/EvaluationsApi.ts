import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { RecentEvaluations, type RuleEvaluation } from "@place-access/domain/rules"
import { Schema } from "effect"
import { Reason } from "../answers/Paused.js"
import { AppPath } from "../apps/AppsApi.js"
import { MayForbid } from "../openapi/ImpossibleErrors.js"
import { BearerAuth } from "../security/BearerAuth.js"
import { RequiredScope } from "../security/RequiredScope.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"
import { ConnectionIdText, RuleIdText } from "../wire/PathIds.js"
import { RuleBody } from "./RulesApi.js"

/**
 * What each outcome of an evaluation means, for the documentation. Only an evaluation with the outcome `fired` leads to
 * an event.
 */
const MEANINGS: Readonly<Record<RuleEvaluation.RuleOutcome, string>> = {
  seeded: "the first reading that is clearly inside or outside: it only establishes where the user is and never fires",
  boundary: "too near the edge to decide",
  no_change: "on the same side of the edge as before, and no dwell is due",
  crossed: "the user crossed the edge in a direction that the rule does not ask about",
  stale:
    "would have fired, but arrived more than 15 minutes after its capture, or was captured before the rule began: before it was made, its place was last moved or shared, its scope came back, or the last pause of its connection ended",
  cooling_down: "would have fired, but the rule fired less than 2 minutes before",
  settling: "crossed the edge: the rule fires unless a reading contradicts it within settle_s",
  contradicted: "back on the side of before, within settle_s: the crossing does not count, and nothing fires",
  outside_window: "captured outside active_from..active_until",
  late: "arrived more than a day after active_until",
  out_of_order: "not newer than the newest reading that was clearly inside or outside",
  fired: "the rule fired: it sent the event `event_id`"
}

const Decision = Schema.Literal(
  "seeded",
  "boundary",
  "no_change",
  "crossed",
  "stale",
  "cooling_down",
  "settling",
  "contradicted",
  "outside_window",
  "late",
  "out_of_order",
  "fired"
).annotations({
  description: Object.entries(MEANINGS)
    .map(([decision, meaning]) => `${decision}: ${meaning}`)
    .join("; ")
})

const Evaluation = Schema.Struct({
  at: Fields.at("When the phone took the reading; for a firing that waited for settle_s, the reading that crossed"),
  received_at: Fields.At,
  decision: Decision,
  event_id: Schema.NullOr(Schema.String).annotations({
    description: "The event that the rule fired; null for any other outcome"
  })
}).annotations({ identifier: "Evaluation" })

const Evaluations = Schema.Array(Evaluation).annotations({
  description: `At most ${RecentEvaluations.KEPT}, the newest first`
})

/** The evaluations, newest first. In `recent`, the oldest evaluation is first. */
export const toBody = (recent: RecentEvaluations.RecentEvaluations): ReadonlyArray<typeof Evaluation.Type> =>
  recent.toReversed().map(({ capturedAt, eventId, outcome, receivedAt }) => ({
    at: capturedAt,
    received_at: receivedAt,
    decision: outcome,
    event_id: eventId
  }))

const Listed = Schema.Struct({ evaluations: Evaluations, nextCursor: Schema.Null })
const ListedForApp = Schema.Struct({ ...Listed.fields, ...Reason })

const RulePath = Schema.Struct({ id: RuleIdText })

const KEPT_BACK =
  "The list is empty while the user has paused the app, while the rule is disabled, and, when more than twenty zone rules of the connection begin within an hour, for each of them after the twentieth. Of a reading that is less accurate than 200 m, the list of a zone rule shows only a firing."

export const EvaluationsApi = HttpApiGroup.make("evaluations")
  .add(
    HttpApiEndpoint.get("place", "/v1/rules/place/:id/evaluations")
      .annotate(RequiredScope, "location.rules.place")
      .setPath(RulePath)
      .addSuccess(ListedForApp)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Why a place rule fired lately, or why not")
      .annotate(OpenApi.Description, KEPT_BACK)
  )
  .add(
    HttpApiEndpoint.get("zone", "/v1/rules/zone/:id/evaluations")
      .annotate(RequiredScope, "location.rules.zone")
      .setPath(RulePath)
      .addSuccess(ListedForApp)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Why a zone rule fired lately, or why not")
      .annotate(OpenApi.Description, KEPT_BACK)
  )
  .middleware(BearerAuth)
  .annotate(OpenApi.Title, "Evaluations")
  .annotate(OpenApi.Description, "The effect of the last readings on a rule, without their places")

export const UserEvaluationsApi = HttpApiGroup.make("userEvaluations")
  .add(
    HttpApiEndpoint.get("list", "/v1/user/connections/:id/rules/:rule_id/evaluations")
      .setPath(Schema.Struct({ id: ConnectionIdText, rule_id: RuleIdText }))
      .addSuccess(Listed)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Why a rule about the user fired lately, or why not")
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Evaluations about the user")
  .annotate(OpenApi.Description, "The effect of the signed-in user's last readings on an app's rule")

const GrantId = Schema.propertySignature(ConnectionIdText).annotations({
  description: "The connection's id, as in the app's events"
})

const GrantRule = Schema.Struct({ ...RuleBody.fields, evaluations: Evaluations }).annotations({
  identifier: "RuleWithEvaluations"
})

export const DeveloperRulesApi = HttpApiGroup.make("developerRules")
  .add(
    HttpApiEndpoint.get("list", "/v1/developer/apps/:app_id/rules")
      .annotate(MayForbid, "viewers of the team may not see the rules of the app's users")
      .setPath(AppPath)
      .setUrlParams(Fields.request({ grant_id: GrantId, ...Fields.paging(50, 200) }))
      .addSuccess(
        Schema.Struct({ rules: Schema.Array(GrantRule), nextCursor: Schema.NullOr(Schema.String), ...Reason })
      )
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "The rules of one connection, and why each fired lately or did not")
      .annotate(
        OpenApi.Description,
        `Shows what the app itself could read now with a token; 404 when it could not. The user's access log lists this call like a request of the app. ${KEPT_BACK}`
      )
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Rules of an app")
  .annotate(OpenApi.Description, "For developers: the standing rules of one connection")
