// Samples of every event type, for a developer's test of an endpoint. Decision test-people-5.
import { ConnectionId, PlaceId, RuleId } from "../shared/Ids.js"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"
import * as Tier from "../tiers/Tier.js"
import type { EventType, Payload, RuleFired } from "./Event.js"

/** The id of the connection in a sample. No real connection has an id of this form. */
export const CONNECTION = ConnectionId.make("con_sample")

const ruleId = RuleId.make("rul_sample")
const onPlace = { ruleId, target: { placeId: PlaceId.make("plc_sample"), label: "Sample" } }
const onZone = { ruleId, target: { placeId: null, label: "Sample" } }
const scopes = ["location.latest.read"] as const

type PayloadOf<Type extends EventType> = Extract<Payload, { readonly type: Type }> | RuleFired

const PAYLOADS: { readonly [Type in EventType]: (now: Timestamp) => PayloadOf<Type> } = {
  "place.enter": () => ({ type: "place.enter", ...onPlace }),
  "place.exit": () => ({ type: "place.exit", ...onPlace }),
  "place.dwell": () => ({ type: "place.dwell", ...onPlace }),
  "zone.enter": () => ({ type: "zone.enter", ...onZone }),
  "zone.exit": () => ({ type: "zone.exit", ...onZone }),
  "zone.dwell": () => ({ type: "zone.dwell", ...onZone }),
  "places.changed": () => ({ type: "places.changed", placesVersion: 2 }),
  "sensitive.expiring": (now) => ({
    type: "sensitive.expiring",
    sensitiveExpiresAt: plus(now, 14 * DAY),
    daysLeft: 14,
    scopes
  }),
  "sensitive.lapsed": (now) => ({
    type: "sensitive.lapsed",
    sensitiveExpiresAt: now,
    renewalGraceEndsAt: Tier.graceEndsAt(now),
    scopes
  }),
  "sensitive.removed": () => ({ type: "sensitive.removed", scopes }),
  ping: () => ({ type: "ping" })
}

/** The payload of a sample of this type, as if the event happened at `now`. */
export const payload = (type: EventType, now: Timestamp): Payload => PAYLOADS[type](now)
