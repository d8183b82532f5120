import { Effect, Option } from "effect"
import type { AccountStore } from "../../../src/accounts/AccountStore.js"
import type { AppStore } from "../../../src/apps/AppStore.js"
import type { Connection } from "../../../src/connection/Connection.js"
import type { ConnectionStore } from "../../../src/connection/ConnectionStore.js"
import type { ConsentStore } from "../../../src/consent/ConsentStore.js"
import type { TokenStore } from "../../../src/tokens/TokenStore.js"
import * as Device from "../../../src/devices/Device.js"
import type { Movement } from "../../../src/devices/Movement.js"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import type { Circle } from "../../../src/places/Geometry.js"
import * as Place from "../../../src/places/Place.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import type { Rule } from "../../../src/rules/Rule.js"
import { type RuleKind, RuleStore } from "../../../src/rules/RuleStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { DeviceId, PlaceId, RuleId, type UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { Vault } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import * as Samples from "../connection/connectionSamples.js"

/** The ports that the cases about places, phones, uploads and rules need. */

export type RuleSamplePorts =
  | PlaceStore
  | DeviceStore
  | RuleStore
  | ConnectionStore
  | ConsentStore
  | TokenStore
  | AppStore
  | AccountStore
  | Entropy.Entropy
  | Vault

export const CIRCLE: Circle = { lat: 52.37, lon: 4.89, radiusM: 150 }

/** Makes a place without storing it. */
export const draftPlace = (userId: UserId, overrides: Partial<Place.Place> = {}) =>
  Effect.gen(function* () {
    const id = PlaceId.make(yield* Entropy.id("plc"))
    const draft: Place.PlaceDraft = { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE }
    const drafted: Place.Place = { ...Place.make(userId, id, draft, yield* Timestamp.now), ...overrides }
    return drafted
  })

/** Stores a place of the user. */
export const place = (userId: UserId, overrides: Partial<Place.Place> = {}) =>
  Effect.gen(function* () {
    const made = yield* draftPlace(userId, overrides)
    Check.isTrue(yield* (yield* PlaceStore).create(made), "there is room for a place")
    return made
  })

/** The movement of a device that left its earlier spot at the time `heardAt`. */
export const movement = (heardAt: Timestamp.Timestamp): Movement => ({
  spot: { lat: 52.3700001, lon: -4.89, bandM: 62.5 },
  movedAt: heardAt,
  heardAt,
  last: { lat: 52.3701, lon: -4.8899999, bandM: 71.25 },
  before: { spot: { lat: -52.37, lon: 179.9999999, bandM: 50 }, movedAt: Timestamp.plus(heardAt, -1) }
})

/** Makes a phone without storing it. */
export const draftDevice = (userId: UserId, overrides: Partial<Device.Device> = {}) =>
  Effect.gen(function* () {
    const made: Device.Device = {
      userId,
      id: DeviceId.make(yield* Entropy.id("dev")),
      name: Device.DeviceName.make("Pixel"),
      format: "json",
      tokenHash: yield* Samples.freshHash,
      createdAt: yield* Timestamp.now,
      ...Device.INITIAL,
      ...overrides
    }
    return made
  })

/** Stores a phone of the user. */
export const device = (userId: UserId, overrides: Partial<Device.Device> = {}) =>
  Effect.gen(function* () {
    const made = yield* draftDevice(userId, overrides)
    Check.isTrue(yield* (yield* DeviceStore).create(made), "there is room for a device")
    return made
  })

/** Stores a user who shares one place with an app that may create rules. */
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

/** Makes a rule of type `enter` on `target` without storing it. */
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
      settleS: null,
      silenceS: null,
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

/** The place as the target of a rule. */
export const onPlace = ({ id, label }: Place.Place): Rule["target"] => ({ _tag: "Place", placeId: id, label })

export const ZONE: Rule["target"] = {
  _tag: "Zone",
  circle: { lat: -33.8688, lon: 151.2093, radiusM: 500 },
  label: "Quay"
}

/** Stores a rule, even if the user then has more rules than the limits allow. */
export const store = (rule: Rule) =>
  Effect.gen(function* () {
    const rules = yield* RuleStore
    const stored = yield* rules.create(rule.userId, rule.connectionId, () => ({ outcome: true, rule }))
    Check.isTrue(Option.isSome(stored), "the rule is stored")
    return rule
  })

/** Stores a rule of the connection. */
export const rule = (connection: Connection, target: Rule["target"], overrides: Partial<Rule> = {}) =>
  Effect.flatMap(draftRule(connection, target, overrides), store)

/** The rules of a connection, oldest first. */
export const list = ({ id, userId }: Pick<Connection, "userId" | "id">, kind: RuleKind = "all") =>
  Effect.flatMap(RuleStore, (rules) => rules.list(userId, id, kind, 1_000, undefined)).pipe(
    Effect.map(({ items }) => items)
  )
