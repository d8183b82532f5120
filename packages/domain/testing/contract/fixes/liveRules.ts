import { Effect, TestClock } from "effect"
import { AppStore } from "../../../src/apps/AppStore.js"
import type { App } from "../../../src/apps/App.js"
import type { Connection } from "../../../src/connection/Connection.js"
import * as Place from "../../../src/places/Place.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import { RuleStore } from "../../../src/rules/RuleStore.js"
import * as RuleEvaluation from "../../../src/rules/RuleEvaluation.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Connections from "../connection/connectionSamples.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "./uploadSamples.js"

/** A user with one rule about a place. `overrides` change the connection. */
const withRule = (overrides: Partial<Connection> = {}) =>
  Effect.gen(function* () {
    const made = yield* Samples.sharing()
    const rule = yield* Samples.rule(made.connection, Samples.onPlace(made.place))
    const connection = { ...made.connection, ...overrides }
    yield* Connections.approve(yield* Connections.request(made.app), connection)
    return { ...made, connection, rule }
  })

const updateApp = (app: App, change: Partial<App>) =>
  Effect.flatMap(AppStore, (apps) =>
    apps.update(app.id, (before) => ({ outcome: undefined, after: { ...before, app: { ...before.app, ...change } } }))
  )

const updatePlace = (place: Place.Place, change: (before: Place.Place) => Place.Place) =>
  Effect.flatMap(PlaceStore, (places) => places.update(place.userId, place.id, change))

const isLive = (of: Pick<Connection, "userId">) => Effect.map(Uploads.live(of), (rules) => rules.length === 1)

/** What `FixStore.view` must guarantee: which rules an upload evaluates, and with which circles. */
export const liveRules: Contract<Uploads.UploadSamplePorts> = [
  {
    name: "view: a live rule comes with its circle, its basis and no state",
    run: Effect.gen(function* () {
      const { place, rule, user } = yield* withRule()
      const only = yield* Uploads.onlyLive({ userId: user.id })
      Check.equal(only.rule, rule, "rule")
      Check.equal(only.circle, place.circle, "circle")
      Check.equal(only.state, RuleEvaluation.unseeded(only.basis), "state")
    })
  },
  {
    name: "view: rules of every kind and connection of the user, by id; of nobody else",
    run: Effect.gen(function* () {
      const { connection, place, rule, user } = yield* withRule()
      const full = yield* Samples.rule(connection, Samples.onPlace(place), {
        type: "dwell",
        dwellMinutes: 5,
        webhookUrl: "https://hooks.example.com/",
        window: { from: Timestamp.plus(yield* Timestamp.now, 1), until: Timestamp.plus(yield* Timestamp.now, 2) },
        maxEventAgeS: 3_600,
        settleS: 120,
        silenceS: 600
      })
      const zone = yield* Samples.rule(connection, Samples.ZONE, { type: "exit" })
      yield* withRule()
      const rules = yield* Uploads.live({ userId: user.id })
      const expected = [rule, full, zone].sort((a, b) => (a.id < b.id ? -1 : 1))
      Check.equal(
        rules.map((live) => live.rule),
        expected,
        "rules"
      )
      const quay = rules.find((live) => live.rule.id === zone.id)
      Check.equal(quay?.circle, zone.target._tag === "Zone" ? zone.target.circle : undefined, "the zone's circle")
    })
  },
  {
    name: "view: a deleted rule is not live, and comes back without its state",
    run: Effect.gen(function* () {
      const { connection, rule } = yield* withRule()
      yield* (yield* RuleStore).remove(rule.userId, connection.id, rule.id, "all", yield* Timestamp.now)
      Check.equal(yield* Uploads.liveIds(connection), [], "live")
    })
  },
  {
    name: "view: rules of a paused connection are not live, and begin anew at the end of the pause [connection-5]",
    run: Effect.gen(function* () {
      const { connection, rule } = yield* withRule()
      const before = yield* Uploads.onlyLive(connection)
      const listed = Effect.gen(function* () {
        const evaluations = yield* (yield* RuleStore).evaluations(connection.userId, connection.id, [rule.id])
        return evaluations.get(rule.id)
      })
      Check.equal((yield* listed)?.isPaused, false, "RuleStore.evaluations before the pause")
      const from = yield* Timestamp.now
      const until = Timestamp.plus(from, Timestamp.HOUR)
      yield* Connections.change(connection.id, { _tag: "SetPause", pause: { from, until } })
      Check.isTrue(!(yield* isLive(connection)), "silent from the beginning")
      Check.equal((yield* listed)?.isPaused, true, "RuleStore.evaluations from the beginning of the pause")
      yield* TestClock.adjust(Timestamp.HOUR - 1)
      Check.isTrue(!(yield* isLive(connection)), "silent until the end")
      Check.equal((yield* listed)?.isPaused, true, "RuleStore.evaluations until the end")
      yield* TestClock.adjust(1)
      const after = yield* Uploads.onlyLive(connection)
      Check.isTrue(after.basis !== before.basis, "another basis: the state is dropped")
      Check.equal(after.firesFrom, until, "nothing from the pause fires")
      const made = yield* listed
      Check.equal([made?.firesFrom, made?.isPaused], [until, false], "RuleStore.evaluations has the same time")
    })
  },
  {
    name: "view: rules of an ended connection are not live",
    run: Effect.gen(function* () {
      const { connection } = yield* withRule()
      yield* Connections.change(connection.id, {
        _tag: "End",
        reason: "user_disconnected",
        at: yield* Timestamp.now
      })
      Check.isTrue(!(yield* isLive(connection)), "live")
    })
  },
  {
    name: "view: rules are live until the instant at which the standard tier ends [T2]",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      for (const [standardExpiresAt, live] of [
        [Timestamp.plus(now, 1), true],
        [now, false],
        [null, true]
      ] as const) {
        const { connection } = yield* withRule({ standardExpiresAt })
        Check.equal(yield* isLive(connection), live, `expires at ${standardExpiresAt}`)
      }
    })
  },
  {
    name: "view: place rules need location.rules.place, zone rules location.rules.zone: granted, declared, allowed",
    run: Effect.gen(function* () {
      const { app, connection, rule } = yield* withRule()
      const zone = yield* Samples.rule(connection, Samples.ZONE)
      const both = [rule.id, zone.id].sort()
      const live = (what: string, expected: ReadonlyArray<string>) =>
        Effect.map(Uploads.liveIds(connection), (ids) => Check.equal<ReadonlyArray<string>>(ids, expected, what))
      yield* live("both scopes", both)
      yield* updateApp(app, { declaredScopes: ["location.rules.zone"] })
      yield* live("declared: zone", [zone.id])
      yield* updateApp(app, { declaredScopes: ["location.rules.place", "location.rules.zone"] })
      yield* updateApp(app, { allowedScopes: ["location.rules.place"] })
      yield* live("allowed: place", [rule.id])
      yield* updateApp(app, { allowedScopes: [] })
      yield* live("allowed: nothing", [])
      yield* updateApp(app, { allowedScopes: null })
      yield* live("narrowing undone", both)
      yield* Connections.approve(yield* Connections.request(app), {
        ...connection,
        heldScopes: ["location.rules.zone"]
      })
      yield* live("granted: zone", [zone.id])
    })
  },
  {
    name: "view: a scope that the app lost and got back gives another basis, to the rules that need it alone [§3.3-disabled, L8]",
    run: Effect.gen(function* () {
      const { app, connection, rule } = yield* withRule()
      const zone = yield* Samples.rule(connection, Samples.ZONE)
      const bases = Effect.map(
        Uploads.live(connection),
        (rules) => new Map(rules.map((live) => [live.rule.id, live.basis]))
      )
      const allow = (allowedScopes: App["allowedScopes"]) =>
        Effect.zipRight(TestClock.adjust("1 minute"), updateApp(app, { allowedScopes }))
      const before = yield* bases
      yield* allow(["location.rules.place", "location.rules.zone"])
      Check.equal(yield* bases, before, "narrowed, and not in these")
      yield* allow(["location.rules.zone"])
      yield* allow(null)
      const after = yield* bases
      Check.isTrue(after.get(rule.id) !== before.get(rule.id), "place rules begin anew")
      Check.equal(after.get(zone.id), before.get(zone.id), "the zone rule's basis")
      yield* allow(["location.rules.place"])
      yield* allow(null)
      const second = yield* bases
      Check.equal(second.get(rule.id), after.get(rule.id), "the place rule's basis")
      Check.isTrue(second.get(zone.id) !== before.get(zone.id), "zone rules begin anew")
    })
  },
  {
    name: "view: a scope that the user took and gave again gives another basis, to the rules that need it alone [§3.3-disabled, L8]",
    run: Effect.gen(function* () {
      const { app, connection, rule } = yield* withRule()
      const zone = yield* Samples.rule(connection, Samples.ZONE)
      const bases = Effect.map(
        Uploads.live(connection),
        (rules) => new Map(rules.map((live) => [live.rule.id, live.basis]))
      )
      const grant = (heldScopes: Connection["heldScopes"]) =>
        Effect.gen(function* () {
          yield* TestClock.adjust("1 minute")
          yield* Connections.approve(yield* Connections.request(app), { ...connection, heldScopes })
        })
      const before = yield* bases
      yield* grant(["location.rules.place", "location.rules.zone", "location.visits.read"])
      Check.equal(yield* bases, before, "another scope")
      yield* grant(["location.rules.place"])
      yield* grant(["location.rules.place", "location.rules.zone"])
      const after = yield* bases
      Check.isTrue(after.get(zone.id) !== before.get(zone.id), "zone rules begin anew")
      Check.equal(after.get(rule.id), before.get(rule.id), "the place rule's basis")
    })
  },
  {
    name: "view: a rule fires from its creation on; from when its place was shared, moved or its scope came back, if that was later [M5]",
    run: Effect.gen(function* () {
      const { app, connection, place, rule } = yield* withRule()
      const zone = yield* Samples.rule(connection, Samples.ZONE)
      const ids = [rule.id, zone.id]
      const from = Effect.gen(function* () {
        const rules = yield* Uploads.live(connection)
        const made = yield* (yield* RuleStore).evaluations(connection.userId, connection.id, ids)
        const times = ids.map((id) => rules.find((live) => live.rule.id === id)?.firesFrom)
        const listed = ids.map((id) => made.get(id)?.firesFrom)
        Check.equal(listed, times, "RuleStore.evaluations has the same times")
        return times
      })
      const later = Effect.zipRight(TestClock.adjust("1 minute"), Timestamp.now)
      Check.equal(yield* from, [rule.createdAt, zone.createdAt], "made")

      const moved = yield* later
      yield* updatePlace(place, (old) => Place.edited(old, { radiusM: 151 }))
      Check.equal(yield* from, [moved, zone.createdAt], "the place moved")
      yield* later
      yield* updatePlace(place, (old) => Place.edited(old, { label: Place.Label.make("Mum's") }))
      Check.equal(yield* from, [moved, zone.createdAt], "the place renamed")

      const sharedAt = yield* later
      yield* Connections.change(connection.id, { _tag: "SetPlaces", places: [], placesVersion: 2 })
      yield* Connections.change(connection.id, {
        _tag: "SetPlaces",
        places: [{ placeId: place.id, sharedAt, includeEarlierVisits: false }],
        placesVersion: 3
      })
      Check.equal(yield* from, [sharedAt, zone.createdAt], "the place shared again")

      const allowed = yield* later
      yield* updateApp(app, { allowedScopes: [] })
      yield* updateApp(app, { allowedScopes: null })
      Check.equal(yield* from, [allowed, allowed], "the app got its scopes back")

      const granted = yield* later
      const grant = (heldScopes: Connection["heldScopes"]) =>
        Effect.gen(function* () {
          yield* Connections.approve(yield* Connections.request(app), { ...connection, heldScopes })
        })
      yield* grant(["location.rules.place"])
      yield* grant(["location.rules.place", "location.rules.zone"])
      Check.equal(yield* from, [allowed, granted], "the user gave the zone scope again")
    })
  },
  {
    name: "view: a rule whose scope came back by `SetScopes` begins anew, and fires from then on [M5, L8]",
    run: Effect.gen(function* () {
      const { connection, rule } = yield* withRule()
      const hold = (heldScopes: Connection["heldScopes"]) =>
        Connections.change(connection.id, { _tag: "SetScopes", heldScopes, sensitiveExpiresAt: null })
      const before = yield* Uploads.onlyLive(connection)
      yield* hold(["location.rules.zone"])
      Check.equal(yield* Uploads.liveIds(connection), [], "without the scope")
      yield* TestClock.adjust("1 hour")
      const restoredAt = yield* Timestamp.now
      yield* hold(connection.heldScopes)
      const after = yield* Uploads.onlyLive(connection)
      Check.equal(after.firesFrom, restoredAt, "nothing from the hour without the scope fires")
      Check.isTrue(after.basis !== before.basis, "another basis: the state is dropped")
      const made = yield* (yield* RuleStore).evaluations(connection.userId, connection.id, [rule.id])
      Check.equal(made.get(rule.id)?.firesFrom, restoredAt, "RuleStore.evaluations has the same time")
    })
  },
  {
    name: "view: the sensitive tier lapsing does not affect rules [§4.6.10-tier]",
    run: Effect.gen(function* () {
      const { connection } = yield* withRule({
        heldScopes: ["location.rules.place", "location.lookup"],
        sensitiveExpiresAt: Timestamp.plus(yield* Timestamp.now, -30 * Timestamp.DAY)
      })
      Check.isTrue(yield* isLive(connection), "live")
    })
  },
  {
    name: "view: rules of a revoked app are not live",
    run: Effect.gen(function* () {
      const { app, connection } = yield* withRule()
      yield* updateApp(app, { revokedAt: yield* Timestamp.now })
      Check.isTrue(!(yield* isLive(connection)), "live")
    })
  },
  {
    name: "view: rules on a withdrawn place are not live; zone rules stay",
    run: Effect.gen(function* () {
      const { connection } = yield* withRule()
      const zone = yield* Samples.rule(connection, Samples.ZONE)
      yield* Connections.change(connection.id, { _tag: "SetPlaces", places: [], placesVersion: 2 })
      Check.equal(yield* Uploads.liveIds(connection), [zone.id], "live")
    })
  },
  {
    name: "view: rules on an archived place are not live",
    run: Effect.gen(function* () {
      const { connection, place } = yield* withRule()
      const now = yield* Timestamp.now
      yield* updatePlace(place, (before) => Place.archived(before, now))
      Check.isTrue(!(yield* isLive(connection)), "live")
    })
  },
  {
    name: "view: a windowed rule is live until a day after its window closed, the instant included [T3]",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const { connection, place } = yield* Samples.sharing()
      const onPlace = Samples.onPlace(place)
      const closing = (until: Timestamp.Timestamp) =>
        Samples.rule(connection, onPlace, { window: { from: null, until } })
      const kept = yield* closing(Timestamp.plus(now, -Timestamp.DAY))
      yield* closing(Timestamp.plus(now, -Timestamp.DAY - 1))
      Check.equal(yield* Uploads.liveIds(connection), [kept.id], "live")
    })
  },
  {
    name: "view: a renamed place gives its new label and keeps the basis; a moved one gives another basis [L8]",
    run: Effect.gen(function* () {
      const { connection, place } = yield* withRule()
      const before = yield* Uploads.onlyLive(connection)
      yield* updatePlace(place, (old) => Place.edited(old, { label: Place.Label.make("Mum's"), lat: old.circle.lat }))
      const renamed = yield* Uploads.onlyLive(connection)
      Check.equal(renamed.rule.target.label, "Mum's", "label")
      Check.equal(renamed.basis, before.basis, "basis of the renamed place")
      yield* updatePlace(place, (old) => Place.edited(old, { radiusM: 151 }))
      const resized = yield* Uploads.onlyLive(connection)
      Check.equal(resized.circle.radiusM, 151, "radius")
      Check.isTrue(resized.basis !== before.basis, "basis of the resized place")
    })
  },
  {
    name: "view: a place withdrawn and shared again gives another basis, and the state that was computed on the old one [L8]",
    run: Effect.gen(function* () {
      const { connection, place, rule } = yield* withRule()
      const before = yield* Uploads.onlyLive(connection)
      const phone = yield* Samples.device(connection.userId)
      const state = Uploads.state(before.basis, yield* Timestamp.now)
      yield* Uploads.commit(phone, { states: [Uploads.progress(rule, state)] })
      yield* Connections.change(connection.id, { _tag: "SetPlaces", places: [], placesVersion: 2 })
      const sharedAt = Timestamp.plus(yield* Timestamp.now, 1)
      yield* Connections.change(connection.id, {
        _tag: "SetPlaces",
        places: [{ placeId: place.id, sharedAt, includeEarlierVisits: false }],
        placesVersion: 3
      })
      const after = yield* Uploads.onlyLive(connection)
      Check.isTrue(after.basis !== before.basis, "basis")
      Check.equal(after.state, state, "state")
    })
  }
]
