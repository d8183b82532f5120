import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Rule } from "@place-access/domain/rules"
import { Schema } from "effect"
import { BearerAuth } from "../security/BearerAuth.js"
import { RequiredScope } from "../security/RequiredScope.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

const fields = {
  id: Schema.String,
  type: Rule.Type,
  target: Schema.Struct({ place_id: Schema.NullOr(Schema.String), label: Schema.String }).annotations({
    description: "place_id is null for a zone"
  }),
  dwell_minutes: Schema.NullOr(Schema.Int),
  active_from: Fields.NullableAt,
  active_until: Fields.NullableAt,
  disabled_at: Fields.NullableAt.annotations({
    description: "Since when it is not evaluated: its place was withdrawn or archived, or the scope narrowed away"
  }),
  created_at: Fields.At
}

/** Spec §2.6, with the window and the age limit that were asked for. */
export const RuleBody = Schema.Struct({
  ...fields,
  webhook_url: Schema.NullOr(Schema.String),
  max_event_age_s: Schema.NullOr(Schema.Int)
}).annotations({ identifier: "Rule" })

/** As the user reads it: where an app listens is the app's own business. */
export const UserRule = Schema.Struct(fields).annotations({ identifier: "UserRule" })

const integerOrNull = (minimum: number, maximum: number) => ({ type: ["integer", "null"], minimum, maximum })
const timeOrNull = { type: ["string", "null"], format: "date-time" }

/** What the document says of the request; the domain is what checks it. */
const documented = {
  type: "object",
  required: ["type", "place_id"],
  properties: {
    type: { type: "string", enum: [...Rule.Type.literals] },
    place_id: { type: "string", description: "A place that the user shares with the app" },
    dwell_minutes: {
      ...integerOrNull(Rule.MIN_DWELL_MINUTES, Rule.MAX_DWELL_MINUTES),
      description: "Required for dwell rules, and for them alone"
    },
    webhook_url: {
      type: ["string", "null"],
      description: "Exactly the url of one of the app's endpoints; else every subscribed one gets the events"
    },
    active_from: { ...timeOrNull, description: "Readings captured earlier are not looked at" },
    active_until: { ...timeOrNull, description: "Readings captured then or later are not looked at" },
    max_event_age_s: {
      ...integerOrNull(Rule.MIN_EVENT_AGE_S, Rule.MAX_EVENT_AGE_S),
      description: "Events older than this are withheld; else they are delivered at any age"
    }
  }
}

const Anything = Schema.optional(Schema.Unknown)

/** Read unchecked: the domain looks at the request as a whole and finds every problem at once. */
const NewPlaceRule = Schema.Struct({
  type: Anything,
  place_id: Anything,
  dwell_minutes: Anything,
  webhook_url: Anything,
  active_from: Anything,
  active_until: Anything,
  max_event_age_s: Anything
}).annotations({ identifier: "NewPlaceRule", jsonSchema: documented })

/** Any text: an id that cannot exist is one that does not exist, 404. */
const RuleIdText = Schema.String.pipe(Schema.brand("RuleId"))
const ConnectionIdText = Schema.String.pipe(Schema.brand("ConnectionId"))

export const RulesApi = HttpApiGroup.make("rules")
  .add(
    HttpApiEndpoint.post("createPlaceRule", "/v1/rules/place")
      .annotate(RequiredScope, "location.rules.place")
      .setPayload(NewPlaceRule)
      .addSuccess(RuleBody, { status: 201 })
      .addError(Errors.WebhookUrlNotRegistered)
      .addError(Errors.NotFound)
      .addError(Errors.RuleLimitReached)
      .annotate(OpenApi.Summary, "Be told when the user arrives at, leaves or stays at a shared place")
      .annotate(
        OpenApi.Description,
        "The first reading only establishes where the user is. At most ten rules of a connection may be active at one instant."
      )
  )
  .add(
    HttpApiEndpoint.get("listPlaceRules", "/v1/rules/place")
      .annotate(RequiredScope, "location.rules.place")
      .addSuccess(Schema.Struct({ rules: Schema.Array(RuleBody), nextCursor: Schema.Null }))
      .annotate(OpenApi.Summary, "The connection's place rules, oldest first")
  )
  .add(
    HttpApiEndpoint.del("removePlaceRule", "/v1/rules/place/:id")
      .annotate(RequiredScope, "location.rules.place")
      .setPath(Schema.Struct({ id: RuleIdText }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Remove a place rule")
      .annotate(OpenApi.Description, "No more events; those that wait are not sent. 404 the second time.")
  )
  .middleware(BearerAuth)
  .annotate(OpenApi.Title, "Rules")
  .annotate(OpenApi.Description, "Standing questions of an app about one connection")

export const UserRulesApi = HttpApiGroup.make("userRules")
  .add(
    HttpApiEndpoint.get("list", "/v1/user/connections/:id/rules")
      .setPath(Schema.Struct({ id: ConnectionIdText }))
      .addSuccess(Schema.Struct({ rules: Schema.Array(UserRule), nextCursor: Schema.Null }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "What an app asked to be told about, oldest first")
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
      .annotate(OpenApi.Summary, "Stop a rule, whichever connection it belongs to")
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Rules about the user")
  .annotate(OpenApi.Description, "What connected apps asked to be told, for the signed-in user")
