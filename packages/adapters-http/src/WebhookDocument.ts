import { OpenApiJsonSchema } from "@effect/platform"
import { Delivery, Signature } from "@place-access/domain/deliveries"
import { Event } from "@place-access/domain/events"
import { Timestamp } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Corrections from "./openapi/Corrections.js"
import * as EventCatalogue from "./openapi/EventCatalogue.js"
import type { Json } from "./openapi/Json.js"
import * as WorkedSignature from "./openapi/WorkedSignature.js"
import { At } from "./wire/Fields.js"

/**
 * The body of a `ping` delivery, as receivers get it (Spec §6.2). A test compares this schema with the body that the
 * domain sends.
 */
export const Ping = Schema.Struct({
  event_id: Schema.String.annotations({
    description: "The same on retries, replays and other endpoints: deduplicate on it"
  }),
  app_id: Schema.String,
  endpoint_id: Schema.String.annotations({ description: "The endpoint that this delivery is for" }),
  type: Schema.Literal("ping"),
  // The description belongs to this property alone. An annotation on `At` itself would describe every time in the
  // document.
  occurred_at: Schema.propertySignature(At).annotations({
    description: "When the event happened, not when it was sent"
  })
})

const ofConnection = {
  ...Ping.fields,
  grant_id: Schema.String.annotations({ description: "The connection" }),
  sample: Schema.optionalWith(Schema.Literal(true), { exact: true }).annotations({
    description: "Present in a sample that a developer sent: its ids are invented, and nothing happened"
  })
}

export const RuleFired = Schema.Struct({
  ...ofConnection,
  type: Event.RuleFired.fields.type,
  rule_id: Schema.String.annotations({ description: "The rule that fired" }),
  target: Schema.Struct({
    place_id: Schema.NullOr(Schema.String).annotations({ description: "Null for a zone" }),
    label: Schema.String.annotations({
      description: "The place's name as the user wrote it, or the zone's label as your app wrote it"
    })
  })
})

export const PlacesChanged = Schema.Struct({
  ...ofConnection,
  type: Event.PlacesChanged.fields.type,
  places_version: Schema.Int.annotations({
    description:
      "The version after the change. There may be a later one when the event arrives: read GET /v1/answers/places and keep the version of that answer"
  })
})

const scopesWith = (description: string) =>
  Schema.propertySignature(Event.SensitiveRemoved.fields.scopes).annotations({ description })

export const SensitiveExpiring = Schema.Struct({
  ...ofConnection,
  type: Event.SensitiveExpiring.fields.type,
  sensitive_expires_at: At,
  days_left: Event.SensitiveExpiring.fields.daysLeft,
  scopes: scopesWith("The scopes that will end")
})

export const SensitiveLapsed = Schema.Struct({
  ...ofConnection,
  type: Event.SensitiveLapsed.fields.type,
  sensitive_expires_at: At,
  renewal_grace_ends_at: At,
  scopes: scopesWith("The scopes that ended, and that the user can renew until `renewal_grace_ends_at`")
})

export const SensitiveRemoved = Schema.Struct({
  ...ofConnection,
  type: Event.SensitiveRemoved.fields.type,
  scopes: scopesWith("The scopes that the connection no longer has")
})

export const EVENTS_TAG = {
  name: "Webhook events",
  description: "What this service posts to the endpoints of an app, signed"
}

const BODIES: { readonly [Name in EventCatalogue.CatalogueEntry["name"]]: Schema.Schema.AnyNoContext } = {
  "rule.fired": RuleFired,
  "places.changed": PlacesChanged,
  "sensitive.expiring": SensitiveExpiring,
  "sensitive.lapsed": SensitiveLapsed,
  "sensitive.removed": SensitiveRemoved,
  ping: Ping
}

const webhook = ({ description, examples, name, summary }: EventCatalogue.CatalogueEntry): Json => {
  // `defs` collects the named schemas to which the body refers. Nothing reads `defs` afterwards: a body refers only to
  // the schema of a time, and the document already has that schema.
  const made = OpenApiJsonSchema.makeWithDefs(BODIES[name], { defs: {}, additionalPropertiesStrategy: "allow" })
  return {
    post: {
      tags: [EVENTS_TAG.name],
      operationId: `events.${name}`,
      summary,
      description,
      security: [],
      parameters: [
        {
          name: Signature.HEADER,
          in: "header",
          required: true,
          description:
            "t=<unix seconds>,v1=<hex>: HMAC-SHA256 of t, a dot and the raw body, keyed with the endpoint's secret. One v1 for each secret that is valid",
          schema: { type: "string" },
          example: WorkedSignature.header
        }
      ],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: Corrections.clean(made),
            examples: Object.fromEntries(
              examples.map(({ body, type }) => [type, { value: JSON.parse(body) as unknown }])
            )
          }
        }
      },
      responses: {
        "2XX": { description: "Received" },
        default: {
          description: `The service retries after any other status, or when no answer came within ${ANSWER_S} seconds`
        }
      }
    }
  }
}

const ANSWER_S = Delivery.ANSWER_DEADLINE / Timestamp.SECOND

/** The `webhooks` of the OpenAPI document: one operation for each event of the catalogue, under the event's name. */
export const webhooks: Json = Object.fromEntries(EventCatalogue.ENTRIES.map((entry) => [entry.name, webhook(entry)]))
