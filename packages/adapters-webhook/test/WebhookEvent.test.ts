import type { EventSensitiveScope, WebhookEvent } from "@place-access/adapters-webhook/verify"
import { Event } from "@place-access/domain/events"
import { AppId, ConnectionId, EndpointId, EventId, type Scope, Timestamp } from "@place-access/domain/shared"
import { Arbitrary, Either, FastCheck as fc, ParseResult, Schema } from "effect"
import { describe, expect, it } from "vitest"

const Time = Schema.String.pipe(Schema.pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/))
const envelope = { event_id: Schema.String, app_id: Schema.String, endpoint_id: Schema.String, occurred_at: Time }
const user = { ...envelope, grant_id: Schema.String }
const scopes = Schema.Array(Schema.Literal("location.latest.read", "location.history.read", "location.lookup"))

/** The public types of the events as a schema, so that a test can decode a body with them. */
const Received = Schema.Union(
  Schema.Struct({
    ...user,
    type: Schema.Literal("place.enter", "place.exit", "place.dwell", "zone.enter", "zone.exit", "zone.dwell"),
    rule_id: Schema.String,
    target: Schema.Struct({ place_id: Schema.NullOr(Schema.String), label: Schema.String })
  }),
  Schema.Struct({ ...user, type: Schema.Literal("places.changed"), places_version: Schema.Number }),
  Schema.Struct({
    ...user,
    type: Schema.Literal("sensitive.expiring"),
    sensitive_expires_at: Time,
    days_left: Schema.Literal(14, 7),
    scopes
  }),
  Schema.Struct({
    ...user,
    type: Schema.Literal("sensitive.lapsed"),
    sensitive_expires_at: Time,
    renewal_grace_ends_at: Time,
    scopes
  }),
  Schema.Struct({ ...user, type: Schema.Literal("sensitive.removed"), scopes }),
  Schema.Struct({ ...envelope, type: Schema.Literal("ping") })
)

/** Compiles only if each of the two types is assignable to the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
const same: [
  Same<typeof Received.Type, WebhookEvent>,
  Same<WebhookEvent["type"], Event.EventType>,
  Same<EventSensitiveScope, Scope.SensitiveScope>
] = [true, true, true]

describe("the types that receivers are given", () => {
  const decode = Schema.decodeUnknownEither(Received, { onExcessProperty: "error" })
  const moment = fc.integer({ min: 0, max: 4_102_444_800_000 }).map((millis) => Timestamp.make(millis))

  it("have the fields that are asked for below, and the domain's types of events and scopes (the compiler says so)", () => {
    expect(same).toEqual([true, true, true])
  })

  it("are the bodies that the domain sends, field by field, with nothing beside them", () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(Arbitrary.make(Event.Payload), moment, (payload, occurredAt) => {
        const text = Event.body(
          {
            eventId: EventId.make("evt_1"),
            appId: AppId.make("app_1"),
            grantId: payload.type === "ping" ? null : ConnectionId.make("con_1"),
            payload,
            occurredAt
          },
          EndpointId.make("ep_1")
        )
        const outcome = decode(JSON.parse(text))
        if (Either.isLeft(outcome)) throw new Error(ParseResult.TreeFormatter.formatErrorSync(outcome.left))
        expect(outcome.right).toEqual(JSON.parse(text))
        seen.add(payload.type)
      }),
      { numRuns: 1_000 }
    )
    expect([...seen].sort()).toEqual([...Event.EventType.literals].sort())
  })
})
