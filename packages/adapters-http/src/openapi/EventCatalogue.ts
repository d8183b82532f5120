import { Event } from "@place-access/domain/events"
import { AppId, ConnectionId, EndpointId, EventId, PlaceId, RuleId, Timestamp } from "@place-access/domain/shared"
import { Tier } from "@place-access/domain/tiers"
import * as Values from "./ExampleValues.js"

/**
 * An event for the documentation. `name` is the name that endpoints subscribe to, or `ping`, to which nobody can
 * subscribe.
 */
export interface CatalogueEntry {
  readonly name: Event.Subscribable | "ping"
  readonly summary: string
  /** In plain words: when the service sends the event, and what a receiver does with it. */
  readonly description: string
  readonly examples: ReadonlyArray<Example>
}

/**
 * An example body. The function `Event.body` makes this body, as it makes the body of every delivery to an endpoint.
 */
export interface Example {
  readonly type: Event.EventType
  readonly body: string
}

const at = (iso: string): Timestamp.Timestamp => Timestamp.make(Date.parse(iso))

const ruleId = RuleId.make(Values.ids.rule)
const onPlace = { ruleId, target: { placeId: PlaceId.make(Values.ids.place), label: "Home" } }
const onZone = { ruleId, target: { placeId: null, label: "Old Town car park" } }
const sensitiveExpiresAt = at("2026-04-30T09:15:00.000Z")
const renewalGraceEndsAt = Tier.graceEndsAt(sensitiveExpiresAt)
const scopes = ["location.latest.read", "location.lookup"] as const

const PAYLOADS: {
  readonly [Type in Event.EventType]: Extract<Event.Payload, { readonly type: Type }> | Event.RuleFired
} = {
  "place.enter": { type: "place.enter", ...onPlace },
  "place.exit": { type: "place.exit", ...onPlace },
  "place.dwell": { type: "place.dwell", ...onPlace },
  "zone.enter": { type: "zone.enter", ...onZone },
  "zone.exit": { type: "zone.exit", ...onZone },
  "zone.dwell": { type: "zone.dwell", ...onZone },
  "places.changed": { type: "places.changed", placesVersion: 4 },
  "sensitive.expiring": { type: "sensitive.expiring", sensitiveExpiresAt, daysLeft: 14, scopes },
  "sensitive.lapsed": { type: "sensitive.lapsed", sensitiveExpiresAt, renewalGraceEndsAt, scopes },
  "sensitive.removed": { type: "sensitive.removed", scopes },
  ping: { type: "ping" }
}

/** When the example events of the sensitive tier happen. The times follow from `sensitiveExpiresAt`. */
const MOMENTS: Partial<Record<Event.EventType, Timestamp.Timestamp>> = {
  "sensitive.expiring": Timestamp.make(sensitiveExpiresAt - 14 * Timestamp.DAY),
  "sensitive.lapsed": sensitiveExpiresAt,
  "sensitive.removed": renewalGraceEndsAt
}

const example = (type: Event.EventType): Example => ({
  type,
  body: Event.body(
    {
      eventId: EventId.make(Values.ids.event),
      appId: AppId.make(Values.ids.app),
      grantId: type === "ping" ? null : ConnectionId.make(Values.ids.connection),
      payload: PAYLOADS[type],
      occurredAt: MOMENTS[type] ?? at("2026-03-31T09:15:00.000Z")
    },
    EndpointId.make(Values.ids.endpoint)
  )
})

const WORDS: { readonly [Name in CatalogueEntry["name"]]: Pick<CatalogueEntry, "summary" | "description"> } = {
  "rule.fired": {
    summary: "A rule fired",
    description:
      "The user arrived at, left or stayed at a place or in a zone that a standing rule of your app asks about. The event of a place rule needs the scope `location.rules.place`, the event of a zone rule `location.rules.zone`. `target.place_id` is null for a zone. A delay of minutes is normal: the service sends the event as soon as the phone has uploaded its readings."
  },
  "places.changed": {
    summary: "The set of places shared with the app changed",
    description:
      "The user shared a place with your app, or withdrew or archived one. The event does not name the place. Read `GET /v1/answers/places` again and keep the version of that answer: it may be newer than the version in the event."
  },
  "sensitive.expiring": {
    summary: "14 days and again 7 days before the sensitive scopes stop",
    description:
      "Send the user to the consent page with exactly the scopes that you hold. With one confirmation they choose a new date. The service skips a moment that had passed at consent: a 7-day grant gets only the second event, a 1-day grant neither."
  },
  "sensitive.lapsed": {
    summary: "The sensitive scopes stopped; the user can renew them for 14 days",
    description:
      "From now on calls that need these scopes answer 403 `scope_expired`; all other calls work. Until `renewal_grace_ends_at` the user can renew the scopes with one confirmation. Not sent if the user renewed the connection in time."
  },
  "sensitive.removed": {
    summary: "The sensitive scopes left the grant; only a full consent brings them back",
    description: "The grace ended without a renewal. Calls that need these scopes answer 403 `missing_scope`."
  },
  ping: {
    summary: "A test that a developer asked for",
    description:
      "Sent at once, from the developer's pages or by the test route. It is not retried, unless a developer redelivers it. It is about no user, so it has no `grant_id`."
  }
}

export const ENTRIES: ReadonlyArray<CatalogueEntry> = [...Event.SUBSCRIBABLE, "ping" as const].map((name) => ({
  name,
  ...WORDS[name],
  examples: (name === "ping" ? ([name] as const) : Event.typesOf(name)).map(example)
}))

/**
 * The scopes that the types of the event need, each scope once. Before every attempt to send the event, the service
 * checks that the app has the scope of the event's type. Empty when the service checks no scope, as for `ping` and the
 * events of the sensitive tier.
 */
export const neededScopes = (name: CatalogueEntry["name"]): ReadonlyArray<string> =>
  Array.from(
    new Set((name === "ping" ? [] : Event.typesOf(name)).flatMap((type) => Event.neededScope(PAYLOADS[type]) ?? []))
  )
