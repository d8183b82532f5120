import { Authorisation } from "@place-access/domain/deliveries"
import { Event } from "@place-access/domain/events"
import { AppId, PlaceId, RuleId, Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"

const { DAY, HOUR } = Timestamp
const NOW = Timestamp.make(Date.UTC(2026, 2, 1))
const at = (offset: number) => Timestamp.make(NOW + offset)

const payloads: Readonly<Record<string, Event.Payload>> = {
  place: {
    type: "place.enter",
    ruleId: RuleId.make("rul_1"),
    target: { placeId: PlaceId.make("plc_1"), label: "Home" }
  },
  zone: { type: "zone.exit", ruleId: RuleId.make("rul_2"), target: { placeId: null, label: "Quay" } },
  places: { type: "places.changed", placesVersion: 2 },
  expiring: { type: "sensitive.expiring", sensitiveExpiresAt: at(DAY), daysLeft: 7, scopes: ["location.lookup"] },
  lapsed: {
    type: "sensitive.lapsed",
    sensitiveExpiresAt: NOW,
    renewalGraceEndsAt: at(14 * DAY),
    scopes: ["location.lookup"]
  },
  removed: { type: "sensitive.removed", scopes: ["location.lookup"] }
}
const all = Object.keys(payloads)
const sensitive = ["expiring", "lapsed", "removed"]

const scopes = [
  "location.rules.place",
  "location.rules.zone",
  "location.places.watch",
  "location.lookup"
] as const satisfies Authorisation.Authorisation["connection"]["heldScopes"]

interface Change {
  readonly connection?: Partial<Authorisation.Authorisation["connection"]>
  readonly app?: Partial<Authorisation.Authorisation["app"]>
  readonly ruleStands?: boolean
  readonly isErased?: true
  readonly isSuspended?: true
  readonly wasSuspended?: true
  readonly occurredAt?: Timestamp.Timestamp
}

const permitted = ({ app, connection, occurredAt = at(-HOUR), ruleStands = true, ...flags }: Change) =>
  all.filter((name) =>
    Authorisation.permits(
      {
        connection: {
          appId: AppId.make("app_1"),
          heldScopes: scopes,
          standardExpiresAt: null,
          sensitiveExpiresAt: at(30 * DAY),
          endedAt: null,
          pause: null,
          ...connection
        },
        app: { declaredScopes: scopes, allowedScopes: null, revokedAt: null, ...app },
        ruleStands,
        ...flags
      },
      { appId: AppId.make("app_1"), payload: payloads[name]!, occurredAt },
      NOW
    )
  )

describe("what may be sent, asked at every attempt [§6.3.5]", () => {
  const cases: ReadonlyArray<readonly [string, Change, ReadonlyArray<string>]> = [
    ["a live connection: everything", {}, all],
    ["the user disconnected: nothing", { connection: { endedAt: at(-1) } }, []],
    ["an admin revoked the app: nothing", { app: { revokedAt: at(-1) } }, []],
    ["a millisecond before the standard date: everything", { connection: { standardExpiresAt: at(1) } }, all],
    ["the standard date: nothing", { connection: { standardExpiresAt: NOW } }, []],
    [
      "the user removed location.rules.place: not what needs it",
      { connection: { heldScopes: scopes.filter((scope) => scope !== "location.rules.place") } },
      all.filter((name) => name !== "place")
    ],
    [
      "the user removed location.places.watch: not places.changed",
      { connection: { heldScopes: scopes.filter((scope) => scope !== "location.places.watch") } },
      all.filter((name) => name !== "places")
    ],
    [
      "an admin narrowed the app to nothing: what tells of the sensitive tier only",
      { app: { allowedScopes: [] } },
      sensitive
    ],
    [
      "the app declares nothing any more: what tells of the sensitive tier only",
      { app: { declaredScopes: [] } },
      sensitive
    ],
    ["the sensitive tier lapsed: still everything", { connection: { sensitiveExpiresAt: NOW } }, all],
    ["the sensitive tier was removed: still everything", { connection: { sensitiveExpiresAt: at(-14 * DAY) } }, all],
    [
      "the sensitive scopes are off the grant: still everything",
      { connection: { heldScopes: scopes.filter((scope) => scope !== "location.lookup"), sensitiveExpiresAt: null } },
      all
    ],
    [
      "nothing is left on the grant: what tells of the sensitive tier only",
      { connection: { heldScopes: [], sensitiveExpiresAt: null } },
      sensitive
    ],
    ["another app's connection: nothing", { connection: { appId: AppId.make("app_2") } }, []],
    ["the rule is gone: nothing", { ruleStands: false }, []],
    [
      "during a pause: not what rules observed",
      { connection: { pause: { from: at(-1), until: at(1) } } },
      all.slice(2)
    ],
    [
      "after a pause through which the event waited: not what rules observed",
      { connection: { pause: { from: at(-2), until: NOW } }, occurredAt: at(-3) },
      all.slice(2)
    ],
    [
      "after a pause, of what occurred at its end: everything",
      { connection: { pause: { from: at(-2), until: at(-1) } }, occurredAt: at(-1) },
      all
    ],
    ["the user deleted the time of the event: not what rules observed", { isErased: true }, all.slice(2)],
    ["the event occurred during a suspension: nothing", { wasSuspended: true }, []],
    ["the connection is suspended now: everything, later", { isSuspended: true }, all]
  ]
  it.each(cases)("%s", (_, change, expected) => expect(permitted(change)).toEqual(expected))
})

describe("the catalogue [§6.1]", () => {
  it("every payload but ping belongs to the name that endpoints subscribe to [§6.1-rule-fired]", () => {
    const names = all.map((name) => Event.subscription(payloads[name]!))
    expect(names).toEqual([
      "rule.fired",
      "rule.fired",
      "places.changed",
      "sensitive.expiring",
      "sensitive.lapsed",
      "sensitive.removed"
    ])
    expect(Event.subscription({ type: "ping" })).toBeUndefined()
  })

  it("every type is behind exactly one name, ping behind none", () => {
    const types = Event.SUBSCRIBABLE.flatMap(Event.typesOf)
    expect([...types, "ping"].sort()).toEqual([...Event.EventType.literals].sort())
  })

  it("the user reads what an event said about them; dates of a tier are not about them", () => {
    expect(all.map((name) => Event.disclosure(payloads[name]!))).toEqual([
      "arrived at Home",
      "left Quay",
      "changed which places are shared",
      undefined,
      undefined,
      undefined
    ])
  })
})
