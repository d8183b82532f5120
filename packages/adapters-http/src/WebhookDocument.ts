import { OpenApiJsonSchema } from "@effect/platform"
import { Event } from "@place-access/domain/events"
import { Schema } from "effect"
import { At } from "./wire/Fields.js"

/** The body of a delivery, as receivers get it (Spec §6.2). Checked against what the domain sends. */
export const Ping = Schema.Struct({
  event_id: Schema.String.annotations({
    description: "The same on retries, replays and other endpoints: deduplicate on it"
  }),
  app_id: Schema.String,
  endpoint_id: Schema.String,
  type: Schema.Literal("ping"),
  occurred_at: At
})

const ofConnection = {
  ...Ping.fields,
  grant_id: Schema.String.annotations({ description: "The connection" })
}

export const RuleFired = Schema.Struct({
  ...ofConnection,
  type: Event.RuleFired.fields.type,
  rule_id: Schema.String,
  target: Schema.Struct({ place_id: Schema.NullOr(Schema.String), label: Schema.String })
})

export const PlacesChanged = Schema.Struct({
  ...ofConnection,
  type: Event.PlacesChanged.fields.type,
  places_version: Schema.Int.annotations({
    description: "When it was sent. Read GET /v1/answers/places and keep the version from there"
  })
})

const scopes = Event.SensitiveRemoved.fields.scopes

export const SensitiveExpiring = Schema.Struct({
  ...ofConnection,
  type: Event.SensitiveExpiring.fields.type,
  sensitive_expires_at: At,
  days_left: Event.SensitiveExpiring.fields.daysLeft,
  scopes
})

export const SensitiveLapsed = Schema.Struct({
  ...ofConnection,
  type: Event.SensitiveLapsed.fields.type,
  sensitive_expires_at: At,
  renewal_grace_ends_at: At,
  scopes
})

export const SensitiveRemoved = Schema.Struct({ ...ofConnection, type: Event.SensitiveRemoved.fields.type, scopes })

const webhook = (summary: string, schema: Schema.Schema.AnyNoContext) => {
  // What it refers to (times) is among the document's schemas already.
  const body = OpenApiJsonSchema.makeWithDefs(schema, { defs: {}, additionalPropertiesStrategy: "allow" })
  return {
    post: {
      summary,
      parameters: [
        {
          name: "X-Service-Signature",
          in: "header",
          required: true,
          description:
            "t=<unix seconds>,v1=<hex>: HMAC-SHA256 of t, a dot and the raw body, keyed with the endpoint's secret. One v1 for each secret that is valid",
          schema: { type: "string" }
        }
      ],
      requestBody: { required: true, content: { "application/json": { schema: body } } },
      responses: { "2XX": { description: "Received. Anything else, or nothing within 5 seconds, is tried again" } }
    }
  }
}

/** The `webhooks` of the OpenAPI document. */
export const webhooks = {
  "rule.fired": webhook("A rule fired", RuleFired),
  "places.changed": webhook("The set of places shared with the app changed", PlacesChanged),
  "sensitive.expiring": webhook("14 days and again 7 days before the sensitive scopes stop", SensitiveExpiring),
  "sensitive.lapsed": webhook("The sensitive scopes stopped; the user can renew them for 14 days", SensitiveLapsed),
  "sensitive.removed": webhook(
    "The sensitive scopes left the grant; only a full consent brings them back",
    SensitiveRemoved
  ),
  ping: webhook("A test that a developer asked for", Ping)
}
