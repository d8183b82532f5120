import { Event } from "@place-access/domain/events"
import { AppId, ConnectionId, EndpointId, EventId, PlaceId, RuleId, Timestamp } from "@place-access/domain/shared"
import { Tier } from "@place-access/domain/tiers"
import * as Values from "./ExampleValues.js"

/** What is sent to endpoints, by the name that they subscribe to; `ping` is subscribed to by nobody. */
export interface Entry {
  readonly name: Event.Subscribable | "ping"
  readonly summary: string
  /** In plain words: when it is sent and what a receiver does with it. */
  readonly description: string
  readonly examples: ReadonlyArray<Example>
}

/** A body as the domain makes it: `Event.body` is what every delivery is made with. */
export interface Example {
  readonly type: Event.Type
  readonly body: string
}

const at = (iso: string): Timestamp.Timestamp => Timestamp.make(Date.parse(iso))

const ruleId = RuleId.make(Values.ids.rule)
const onPlace = { ruleId, target: { placeId: PlaceId.make(Values.ids.place), label: "Home" } }
const onZone = { ruleId, target: { placeId: null, label: "Old Town car park" } }
const sensitiveExpiresAt = at("2026-04-30T09:15:00.000Z")
const renewalGraceEndsAt = Tier.graceEndsAt(sensitiveExpiresAt)
const scopes = ["location.latest.read", "location.lookup"] as const

const PAYLOADS: { readonly [Type in Event.Type]: Extract<Event.Payload, { readonly type: Type }> | Event.RuleFired } = {
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

/** When the examples happened; those of the sensitive tier at the moments that they tell of. */
const MOMENTS: Partial<Record<Event.Type, Timestamp.Timestamp>> = {
  "sensitive.expiring": Timestamp.make(sensitiveExpiresAt - 14 * Timestamp.DAY),
  "sensitive.lapsed": sensitiveExpiresAt,
  "sensitive.removed": renewalGraceEndsAt
}

const example = (type: Event.Type): Example => ({
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

const WORDS: { readonly [Name in Entry["name"]]: Pick<Entry, "summary" | "description"> } = {
  "rule.fired": {
    summary: "A rule fired",
    description:
      "The user arrived at, left or stayed at a place or in a zone that a standing rule of your app asks about. `target.place_id` is null for a zone. Minutes after it happened are normal: it is told as soon as the phone has sent what it measured."
  },
  "places.changed": {
    summary: "The set of places shared with the app changed",
    description:
      "The user shared a place with your app or withdrew one; the event names none of them. Read `GET /v1/answers/places` again and keep the version from that answer, not the one from the event: by then there may be a newer one."
  },
  "sensitive.expiring": {
    summary: "14 days and again 7 days before the sensitive scopes stop",
    description:
      "Send the user through consent again with exactly the scopes that you hold, and they choose a new date with one confirmation. A moment that was past already at consent is left out: a 7-day grant gets the second event only, a 1-day grant neither."
  },
  "sensitive.lapsed": {
    summary: "The sensitive scopes stopped; the user can renew them for 14 days",
    description:
      "Calls that need them answer 403 `scope_expired` from now on, all others go on. Until `renewal_grace_ends_at` one confirmation of the user brings them back. Never sent when the connection was renewed in time."
  },
  "sensitive.removed": {
    summary: "The sensitive scopes left the grant; only a full consent brings them back",
    description: "The grace ended without a renewal. Calls that need these scopes answer 403 `missing_scope`."
  },
  ping: {
    summary: "A test that a developer asked for",
    description:
      "Sent once, at once, and never again, from the developer's pages or by the test route. It is about no user, so it has no `grant_id`."
  }
}

export const ENTRIES: ReadonlyArray<Entry> = [...Event.SUBSCRIBABLE, "ping" as const].map((name) => ({
  name,
  ...WORDS[name],
  examples: (name === "ping" ? ([name] as const) : Event.typesOf(name)).map(example)
}))

/** The scopes of which one is needed, by what the check before every attempt asks for; none for the sensitive tier's. */
export const neededScopes = (name: Entry["name"]): ReadonlyArray<string> =>
  Array.from(
    new Set((name === "ping" ? [] : Event.typesOf(name)).flatMap((type) => Event.neededScope(PAYLOADS[type]) ?? []))
  )
