import { Effect, Option, TestClock } from "effect"
import { AppStore } from "../../../src/apps/AppStore.js"
import type { Connection } from "../../../src/connection/Connection.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import * as Place from "../../../src/places/Place.js"
import { RuleStore } from "../../../src/rules/RuleStore.js"
import type { Scope } from "../../../src/shared/Scope.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import { CLOCK_CHANGES } from "../clockChanges.js"
import * as Connections from "../connection/connectionSamples.js"
import * as Samples from "./ruleSamples.js"

/** `disabledAt` of the connection's only rule, as the store's list of the connection's rules shows it. */
const disabledAt = (connection: Connection) =>
  Effect.map(Samples.list(connection), ([only]) =>
    only === undefined ? Check.fail("the rule is listed") : only.disabledAt
  )

export const standing: Contract<Samples.RuleSamplePorts> = [
  {
    name: "disabledAt: when the place was archived [L8]",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      yield* Samples.rule(connection, Samples.onPlace(place))
      const archivedAt = yield* Timestamp.now
      yield* (yield* PlaceStore).update(place.userId, place.id, (before) => Place.archived(before, archivedAt))
      yield* TestClock.adjust("1 hour")
      Check.equal(yield* disabledAt(connection), archivedAt, "disabledAt")
    })
  },
  {
    name: "disabledAt: when the place was withdrawn; null once it is shared again; the new time when withdrawn anew [L8]",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      yield* Samples.rule(connection, Samples.onPlace(place))
      const share = (places: Connection["places"], placesVersion: number) =>
        Effect.zipRight(
          Connections.change(connection.id, { _tag: "SetPlaces", places, placesVersion }),
          TestClock.adjust("1 hour")
        )
      const withdrawnAt = yield* Timestamp.now
      yield* share([], 2)
      Check.equal(yield* disabledAt(connection), withdrawnAt, "withdrawn")
      const second = { placeId: place.id, sharedAt: yield* Timestamp.now, includeEarlierVisits: false }
      yield* share([second], 3)
      const withdrawnAgainAt = yield* Timestamp.now
      yield* share([], 4)
      Check.equal(yield* disabledAt(connection), withdrawnAgainAt, "withdrawn again, and never listed between")
      yield* share([{ ...second, sharedAt: yield* Timestamp.now }], 5)
      Check.equal(yield* disabledAt(connection), null, "shared again")
    })
  },
  {
    name: "list, find: a place that was withdrawn is renamed unnoticed, until it is shared again",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      const rule = yield* Samples.rule(connection, Samples.onPlace(place))
      const rename = (label: string) =>
        Effect.flatMap(PlaceStore, (places) =>
          places.update(place.userId, place.id, (before) => ({ ...before, label: Place.Label.make(label) }))
        )
      const share = (places: Connection["places"], placesVersion: number) =>
        Connections.change(connection.id, { _tag: "SetPlaces", places, placesVersion })
      const labels = Effect.gen(function* () {
        const found = yield* (yield* RuleStore).find(connection.userId, connection.id, rule.id, "Place")
        return [...(yield* Samples.list(connection)), ...Option.toArray(found)].map(({ target }) => target.label)
      })
      yield* rename("Home")
      yield* share([], 2)
      yield* rename("Clinic")
      Check.equal(yield* labels, ["Home", "Home"], "as it was called when it was withdrawn")
      yield* share([{ placeId: place.id, sharedAt: yield* Timestamp.now, includeEarlierVisits: false }], 3)
      Check.equal(yield* labels, ["Clinic", "Clinic"], "shared again")
      yield* rename("Mum's")
      Check.equal(yield* labels, ["Mum's", "Mum's"], "renamed while it is shared")
      yield* share([], 4)
      yield* rename("Home")
      Check.equal(yield* labels, ["Mum's", "Mum's"], "withdrawn anew")
    })
  },
  {
    name: "disabledAt: a place left out when the user consents anew",
    run: Effect.gen(function* () {
      const { app, connection, place } = yield* Samples.sharing()
      yield* Samples.rule(connection, Samples.onPlace(place))
      const consentedAt = yield* Timestamp.now
      yield* Connections.approve(yield* Connections.request(app), { ...connection, places: [], placesVersion: 2 })
      yield* TestClock.adjust("1 hour")
      Check.equal(yield* disabledAt(connection), consentedAt, "disabledAt")
    })
  },
  {
    name: "disabledAt: when it was first noticed that the scope is gone; null when it is back",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const { app, connection, place } = yield* Samples.sharing()
      yield* Samples.rule(connection, Samples.onPlace(place))
      const narrow = (allowedScopes: ReadonlyArray<Scope> | null) =>
        apps.update(app.id, (before) => ({
          outcome: undefined,
          after: { ...before, app: { ...before.app, allowedScopes } }
        }))
      yield* narrow(["location.rules.zone"])
      const noticedAt = yield* Timestamp.now
      Check.equal(yield* disabledAt(connection), noticedAt, "narrowed")
      yield* TestClock.adjust("1 hour")
      Check.equal(yield* disabledAt(connection), noticedAt, "an hour later")
      yield* narrow(null)
      Check.equal(yield* disabledAt(connection), null, "widened")
    })
  },
  {
    name: "disabledAt: when `SetScopes` took the scope, also when nobody looked then; null when it is back",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      yield* Samples.rule(connection, Samples.onPlace(place))
      const hold = (heldScopes: Connection["heldScopes"]) =>
        Effect.zipRight(
          Connections.change(connection.id, { _tag: "SetScopes", heldScopes, sensitiveExpiresAt: null }),
          TestClock.adjust("1 hour")
        )
      const takenAt = yield* Timestamp.now
      yield* hold(["location.rules.zone"])
      Check.equal(yield* disabledAt(connection), takenAt, "taken")
      yield* hold(connection.heldScopes)
      const takenAgainAt = yield* Timestamp.now
      yield* hold(["location.rules.zone"])
      Check.equal(yield* disabledAt(connection), takenAgainAt, "taken again, and never listed between")
      yield* hold(connection.heldScopes)
      Check.equal(yield* disabledAt(connection), null, "back")
    })
  },
  {
    name: "create, list: times at which a local clock changes come back as they were, and in their order",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.sharing()
      const made = yield* Effect.forEach(CLOCK_CHANGES.flat(), (createdAt) =>
        Samples.rule(connection, Samples.ZONE, { createdAt })
      )
      const windowed = yield* Effect.forEach(CLOCK_CHANGES, ([from, until]) =>
        Samples.rule(connection, Samples.ZONE, { createdAt: until, window: { from, until } })
      )
      const expected = [...made, ...windowed].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
      Check.equal(yield* Samples.list(connection), expected, "listed")
    })
  },
  {
    name: "disabledAt: zones need no place, only their own scope",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.sharing({ heldScopes: ["location.rules.zone"], places: [] })
      yield* Samples.rule(connection, Samples.ZONE)
      Check.equal(yield* disabledAt(connection), null, "disabledAt")
    })
  }
]
