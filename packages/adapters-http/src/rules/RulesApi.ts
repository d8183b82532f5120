import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Coordinates } from "@place-access/domain/places"
import { AccountLimits } from "@place-access/domain/quotas"
import { Rule, RuleEvaluation, RuleLife } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { Schema } from "effect"
import { BearerAuth } from "../security/BearerAuth.js"
import { RequiredScope } from "../security/RequiredScope.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"
import { ConnectionIdText, RuleIdText } from "../wire/PathIds.js"

const TYPE = {
  description:
    "`enter`, `exit`: the rule fires when the user enters or leaves; `dwell`: when the user has stayed for `dwell_minutes`"
}

const fields = {
  id: Schema.String,
  type: Rule.RuleType.annotations(TYPE),
  target: Schema.Struct({ place_id: Schema.NullOr(Schema.String), label: Schema.String }).annotations({
    description: "place_id is null for a zone"
  }),
  dwell_minutes: Schema.NullOr(Schema.Int),
  settle_s: Schema.NullOr(Schema.Int),
  silence_s: Schema.NullOr(Schema.Int),
  active_from: Fields.NullableAt,
  active_until: Fields.NullableAt,
  state: RuleLife.RuleState.annotations({
    description:
      "`inactive`: the window has not opened yet; `finished`: the window has closed, but readings from the window that arrive soon afterwards can still fire the rule; `disabled`: the place or the scope that the rule needs is missing, see `disabled_at`"
  }),
  disabled_at: Fields.NullableAt.annotations({
    description:
      "Since when the rule is not evaluated, because its place is withdrawn or archived, or its scope is not granted, not declared by the app, or not allowed by the service; null when the place and the scope are back"
  }),
  created_at: Fields.At
}

const ofApp = { ...fields, webhook_url: Schema.NullOr(Schema.String), max_event_age_s: Schema.NullOr(Schema.Int) }

/** A rule as the app reads it (Spec §2.6), with the webhook address and the age limit of events that the app set. */
export const RuleBody = Schema.Struct(ofApp).annotations({ identifier: "Rule" })

const Area = { lat: Schema.Number, lon: Schema.Number, radius_m: Schema.Number }

/** A zone rule as the app reads it: with the area that the app drew. */
export const ZoneRuleBody = Schema.Struct({ ...ofApp, ...Area }).annotations({ identifier: "ZoneRule" })

/**
 * A rule as the user reads it. It has neither the address of one of the app's endpoints nor the age limit of events,
 * because they do not concern the user.
 */
export const UserRule = Schema.Struct({
  ...fields,
  area: Schema.NullOr(Schema.Struct(Area)).annotations({
    description: "The area that the app drew, for a zone; null for a place of the user"
  }),
  webhook_host: Schema.NullOr(Schema.String).annotations({
    description:
      "The host, with its port if the address names one, to which the events of an imported rule go. Null for every other rule: its events go to the app's webhook endpoints"
  })
}).annotations({ identifier: "UserRule" })

const integerOrNull = (minimum: number, maximum: number) => ({ type: ["integer", "null"], minimum, maximum })
const timeOrNull = { type: ["string", "null"], format: "date-time" }

const documentedTerms = {
  type: { type: "string", enum: [...Rule.RuleType.literals], ...TYPE },
  dwell_minutes: {
    ...integerOrNull(Rule.MIN_DWELL_MINUTES, Rule.MAX_DWELL_MINUTES),
    description: "Required for dwell rules; the others ignore it and answer null"
  },
  settle_s: {
    ...integerOrNull(0, Rule.MAX_SETTLE_S),
    description:
      "Seconds for which an arrival or a departure waits for a reading that contradicts it; then its event is sent, with the time of the crossing. Left out or 0: sent at once. Dwell rules ignore it and answer null"
  },
  silence_s: {
    ...integerOrNull(Rule.MIN_SILENCE_S, Rule.MAX_SILENCE_S),
    description: `For dwell rules: a phone that was last seen inside and then sends nothing, as phones at rest do, counts as staying if it was last seen at most ${RuleEvaluation.LAST_WORD / Timestamp.MINUTE} minutes before the end of \`dwell_minutes\`. The event is sent this many seconds after that end, and has the time of that end. A reading from outside before the event is sent prevents the event. The service only assumes that the person stayed, which is sometimes wrong. Left out: only a reading from inside sends the event. Rules of other types ignore this field and answer null`
  },
  webhook_url: {
    type: ["string", "null"],
    description: "Exactly the url of one of the app's endpoints. Left out: every subscribed endpoint gets the events"
  },
  active_from: {
    ...timeOrNull,
    description: "The rule ignores readings captured before this time. Left out: active from its creation"
  },
  active_until: {
    ...timeOrNull,
    description:
      "The rule ignores readings captured at this time or later. Must be in the future and after active_from. Left out: no end"
  },
  max_event_age_s: {
    ...integerOrNull(Rule.MIN_EVENT_AGE_S, Rule.MAX_EVENT_AGE_S),
    description:
      "Events older than this many seconds are not sent. Must be greater than settle_s and silence_s: an event that waits for them is already that old when it is written. Leave room for the phone's upload, which is often minutes late, and for the delivery. Left out: events of any age are sent"
  }
}

const Anything = Schema.optional(Schema.Unknown)
const terms = {
  type: Anything,
  dwell_minutes: Anything,
  settle_s: Anything,
  silence_s: Anything,
  webhook_url: Anything,
  active_from: Anything,
  active_until: Anything,
  max_event_age_s: Anything
}

/**
 * This schema decodes nothing: the domain checks the request as a whole and reports all problems together. The schema
 * only documents what the domain accepts.
 */
const NewPlaceRule = Schema.Struct({ ...terms, place_id: Anything }).annotations({
  identifier: "NewPlaceRule",
  jsonSchema: {
    type: "object",
    required: ["type", "place_id"],
    properties: {
      ...documentedTerms,
      place_id: { type: "string", description: "A place that the user shares with the app" }
    }
  }
})

const NewZoneRule = Schema.Struct({
  ...terms,
  lat: Anything,
  lon: Anything,
  radius_m: Anything,
  label: Anything
}).annotations({
  identifier: "NewZoneRule",
  jsonSchema: {
    type: "object",
    required: ["type", "lat", "lon", "radius_m", "label"],
    properties: {
      ...documentedTerms,
      lat: { type: "number", minimum: -90, maximum: 90 },
      lon: { type: "number", minimum: -180, maximum: 180 },
      radius_m: { type: "number", minimum: Coordinates.MIN_RADIUS_M, maximum: Coordinates.MAX_RADIUS_M },
      label: {
        type: "string",
        minLength: 1,
        maxLength: 80,
        description: "The user reads this label, in the rule and each time the rule fires"
      }
    }
  }
})

const Query = Schema.Struct(Fields.paging(100, 500)).annotations({ parseOptions: { errors: "all" } })
const listOf = <A, I>(rule: Schema.Schema<A, I>) =>
  Schema.Struct({ rules: Schema.Array(rule), nextCursor: Schema.NullOr(Schema.String) })

const BEHAVIOUR = `The first reading only establishes where the user is, and fires nothing. At one instant a connection has at most ten rules, place and zone rules together: 409 \`rule_limit_reached\` for an eleventh. Disabled rules count. 409 \`conflict\` when the connection has ${AccountLimits.RULES.most} rules; each counts until a day after the end of its window.`
const ZONE_BUDGET =
  "A new zone rule counts like a call of verify-zone: 20 in an hour together, and in 24 hours ten circles with a radius of 950 m in one town, more that are smaller, or fewer that are larger. A rule whose window opens later counts on the day of its opening too. Removing a rule gives no question back."
// An app with any standard scope may list and remove rules of both kinds. Disabled rules count towards the limit of ten
// rules, so an app that lost the scope of one kind must be able to remove these rules to make new ones (decision
// rules-5).
const LISTED = "Finished rules stay in the list; removed rules do not. Any standard scope is enough."
const REMOVAL =
  "Stops all events of the rule; events that wait are not sent. A second call answers 404. Any standard scope is enough."

export const RulesApi = HttpApiGroup.make("rules")
  .add(
    HttpApiEndpoint.post("createPlaceRule", "/v1/rules/place")
      .annotate(RequiredScope, "location.rules.place")
      .setPayload(NewPlaceRule)
      .addSuccess(RuleBody, { status: 201 })
      .addError(Errors.WebhookUrlNotRegistered)
      .addError(Errors.NotFound)
      .addError(Errors.RuleLimitReached)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Get an event when the user arrives at, leaves or stays at a shared place")
      .annotate(OpenApi.Description, BEHAVIOUR)
  )
  .add(
    HttpApiEndpoint.get("listPlaceRules", "/v1/rules/place")
      .annotate(RequiredScope, "any_standard")
      .setUrlParams(Query)
      .addSuccess(listOf(RuleBody))
      .annotate(OpenApi.Summary, "The connection's place rules, oldest first")
      .annotate(OpenApi.Description, LISTED)
  )
  .add(
    HttpApiEndpoint.del("removePlaceRule", "/v1/rules/place/:id")
      .annotate(RequiredScope, "any_standard")
      .setPath(Schema.Struct({ id: RuleIdText }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Remove a place rule")
      .annotate(OpenApi.Description, REMOVAL)
  )
  .add(
    HttpApiEndpoint.post("createZoneRule", "/v1/rules/zone")
      .annotate(RequiredScope, "location.rules.zone")
      .setPayload(NewZoneRule)
      .addSuccess(ZoneRuleBody, { status: 201 })
      .addError(Errors.WebhookUrlNotRegistered)
      .addError(Errors.RuleLimitReached)
      .addError(Errors.Conflict)
      .addError(Errors.BudgetExceeded)
      .annotate(OpenApi.Summary, "Get an event when the user arrives in, leaves or stays in an area that the app draws")
      .annotate(OpenApi.Description, `${BEHAVIOUR} ${ZONE_BUDGET}`)
  )
  .add(
    HttpApiEndpoint.get("listZoneRules", "/v1/rules/zone")
      .annotate(RequiredScope, "any_standard")
      .setUrlParams(Query)
      .addSuccess(listOf(ZoneRuleBody))
      .annotate(OpenApi.Summary, "The connection's zone rules, oldest first")
      .annotate(OpenApi.Description, LISTED)
  )
  .add(
    HttpApiEndpoint.del("removeZoneRule", "/v1/rules/zone/:id")
      .annotate(RequiredScope, "any_standard")
      .setPath(Schema.Struct({ id: RuleIdText }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Remove a zone rule")
      .annotate(OpenApi.Description, REMOVAL)
  )
  .middleware(BearerAuth)
  .annotate(OpenApi.Title, "Rules")
  .annotate(OpenApi.Description, "The standing rules of an app on one connection")

export const UserRulesApi = HttpApiGroup.make("userRules")
  .add(
    HttpApiEndpoint.get("list", "/v1/user/connections/:id/rules")
      .setPath(Schema.Struct({ id: ConnectionIdText }))
      .setUrlParams(Query)
      .addSuccess(listOf(UserRule))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "The rules of an app about the user, oldest first")
      .annotate(OpenApi.Description, "Empty once the connection has ended.")
  )
  .add(
    HttpApiEndpoint.del("removeOfConnection", "/v1/user/connections/:id/rules/:rule_id")
      .setPath(Schema.Struct({ id: ConnectionIdText, rule_id: RuleIdText }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Stop a rule of one connection")
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/user/rules/:rule_id")
      .setPath(Schema.Struct({ rule_id: RuleIdText }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Stop a rule of any connection")
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Rules about the user")
  .annotate(OpenApi.Description, "The rules of connected apps about the signed-in user")
