import { Effect, Option } from "effect"
import type { AccountStore } from "../../accounts/AccountStore.js"
import type { AppStore } from "../../apps/AppStore.js"
import type { Connection } from "../../connection/Connection.js"
import type { ConnectionStore } from "../../connection/ConnectionStore.js"
import * as Device from "../../devices/Device.js"
import type { Movement } from "../../devices/Movement.js"
import { DeviceStore } from "../../devices/DeviceStore.js"
import type { Circle } from "../../places/Geometry.js"
import * as Place from "../../places/Place.js"
import { PlaceStore } from "../../places/PlaceStore.js"
import type { Rule } from "../../rules/Rule.js"
import { RuleStore } from "../../rules/RuleStore.js"
import * as Entropy from "../../shared/Entropy.js"
import { DeviceId, PlaceId, RuleId, type UserId } from "../../shared/Ids.js"
import * as Timestamp from "../../shared/Timestamp.js"
import type { Vault } from "../../shared/Vault.js"
import * as Check from "../Check.js"
import * as Samples from "./connectionSamples.js"

/** What the cases about places, phones, uploads and rules are made of. */

export type Needs =
  | PlaceStore
  | DeviceStore
  | RuleStore
  | ConnectionStore
  | AppStore
  | AccountStore
  | Entropy.Entropy
  | Vault

export const CIRCLE: Circle = { lat: 52.37, lon: 4.89, radiusM: 150 }

/** Not stored. */
export const draftPlace = (userId: UserId, overrides: Partial<Place.Place> = {}) =>
  Effect.gen(function* () {
    const id = PlaceId.make(yield* Entropy.id("plc"))
    const draft: Place.Draft = { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE }
    const drafted: Place.Place = { ...Place.make(userId, id, draft, yield* Timestamp.now), ...overrides }
    return drafted
  })

/** A stored place of the user. */
export const place = (userId: UserId, overrides: Partial<Place.Place> = {}) =>
  Effect.gen(function* () {
    const made = yield* draftPlace(userId, overrides)
    yield* (yield* PlaceStore).create(made)
    return made
  })

/** Of a device that has just left the rest before. */
export const movement = (heardAt: Timestamp.Timestamp): Movement => ({
  spot: { lat: 52.3700001, lon: -4.89, bandM: 62.5 },
  movedAt: heardAt,
  heardAt,
  last: { lat: 52.3701, lon: -4.8899999, bandM: 71.25 },
  before: { spot: { lat: -52.37, lon: 179.9999999, bandM: 50 }, movedAt: Timestamp.plus(heardAt, -1) }
})

/** A stored phone of the user. */
export const device = (userId: UserId, overrides: Partial<Device.Device> = {}) =>
  Effect.gen(function* () {
    const made: Device.Device = {
      userId,
      id: DeviceId.make(yield* Entropy.id("dev")),
      name: Device.Name.make("Pixel"),
      format: "json",
      tokenHash: yield* Samples.freshHash,
      createdAt: yield* Timestamp.now,
      ...Device.INITIAL,
      ...overrides
    }
    yield* (yield* DeviceStore).create(made)
    return made
  })

/** A user who shares one place with an app that may set rules. */
export const sharing = (overrides: Partial<Connection> = {}) =>
  Effect.gen(function* () {
    const { app, user } = yield* Samples.pair
    const home = yield* place(user.id)
    const sharedAt = yield* Timestamp.now
    const connection = yield* Samples.connection(user, app, {
      heldScopes: ["location.rules.place", "location.rules.zone"],
      places: [{ placeId: home.id, sharedAt, includeEarlierVisits: false }],
      ...overrides
    })
    yield* Samples.approve(yield* Samples.request(app), connection)
    return { app, user, place: home, connection }
  })

/** Not stored: an enter rule on a place. */
export const draftRule = (connection: Connection, target: Rule["target"], overrides: Partial<Rule> = {}) =>
  Effect.gen(function* () {
    const rule: Rule = {
      userId: connection.userId,
      id: RuleId.make(yield* Entropy.id("rul")),
      connectionId: connection.id,
      appId: connection.appId,
      type: "enter",
      target,
      dwellMinutes: null,
      webhookUrl: null,
      isLegacy: false,
      window: { from: null, until: null },
      maxEventAgeS: null,
      createdAt: yield* Timestamp.now,
      disabledAt: null,
      ...overrides
    }
    return rule
  })

/** A target. */
export const onPlace = ({ id, label }: Place.Place): Rule["target"] => ({ _tag: "Place", placeId: id, label })

export const ZONE: Rule["target"] = {
  _tag: "Zone",
  circle: { lat: -33.8688, lon: 151.2093, radiusM: 500 },
  label: "Quay"
}

/** Stores a rule, whatever limits there are. */
export const store = (rule: Rule) =>
  Effect.gen(function* () {
    const rules = yield* RuleStore
    const stored = yield* rules.create(rule.userId, rule.connectionId, () => ({ outcome: true, rule }))
    Check.isTrue(Option.isSome(stored), "the rule is stored")
    return rule
  })

/** A stored rule of the connection. */
export const rule = (connection: Connection, target: Rule["target"], overrides: Partial<Rule> = {}) =>
  Effect.flatMap(draftRule(connection, target, overrides), store)
