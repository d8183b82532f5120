import { Effect, Option, TestClock } from "effect"
import { AppStore } from "../../apps/AppStore.js"
import type { Connection } from "../../connection/Connection.js"
import { PlaceStore } from "../../places/PlaceStore.js"
import * as Place from "../../places/Place.js"
import * as ConcurrentLimit from "../../rules/ConcurrentLimit.js"
import type { Rule } from "../../rules/Rule.js"
import * as ZoneQuestions from "../../limits/ZoneQuestions.js"
import { type Kind, RuleStore } from "../../rules/RuleStore.js"
import { ConnectionId, RuleId } from "../../shared/Ids.js"
import type { Page } from "../../shared/Page.js"
import type { Scope } from "../../shared/Scope.js"
import * as Timestamp from "../../shared/Timestamp.js"
import * as Check from "../Check.js"
import type { Contract } from "../Contract.js"
import * as Connections from "./connectionSamples.js"
import * as Samples from "./ruleSamples.js"

const list = ({ id, userId }: Pick<Connection, "userId" | "id">, kind: Kind = "all") =>
  Effect.flatMap(RuleStore, (rules) => rules.list(userId, id, kind, 1_000, undefined)).pipe(
    Effect.map(({ items }) => items)
  )

const listedIds = (connection: Connection, kind: Kind = "all") =>
  Effect.map(list(connection, kind), (rules) => rules.map((rule) => rule.id))

/** `disabledAt` of the connection's only rule. */
const disabledAt = (connection: Connection) =>
  Effect.map(list(connection), ([only]) => (only === undefined ? Check.fail("the rule is listed") : only.disabledAt))

const remove = (rule: Rule, overrides: { readonly connectionId?: ConnectionId | null; readonly kind?: Kind } = {}) =>
  Effect.gen(function* () {
    const { connectionId = rule.connectionId, kind = "all" } = overrides
    return yield* (yield* RuleStore).remove(rule.userId, connectionId, rule.id, kind, yield* Timestamp.now)
  })

const creation: Contract<Samples.Needs> = [
  {
    name: "create: what was stored is listed, field by field",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      const now = yield* Timestamp.now
      const full = yield* Samples.rule(connection, Samples.onPlace(place), {
        type: "dwell",
        dwellMinutes: 720,
        webhookUrl: "https://hooks.example.com/a?b=c#d",
        window: { from: now, until: Timestamp.plus(now, 1) },
        maxEventAgeS: 30
      })
      Check.equal(yield* list(connection), [full], "a rule with everything")
    })
  },
  {
    name: "create: a rule with nothing optional, and a zone's circle and label",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.sharing()
      const zone = yield* Samples.rule(connection, Samples.ZONE, { type: "exit" })
      Check.equal(yield* list(connection), [zone], "listed")
    })
  },
  {
    name: "create: the decision is given the rules of this connection, not the deleted and finished ones, and the clock",
    run: Effect.gen(function* () {
      const rules = yield* RuleStore
      const { connection, place } = yield* Samples.sharing()
      const closing = (until: Timestamp.Timestamp) => ({ window: { from: null, until } })
      const now = yield* Timestamp.now
      yield* Samples.rule(connection, Samples.onPlace(place), closing(now))
      const other = yield* Samples.sharing()
      yield* Samples.rule(other.connection, Samples.onPlace(other.place))
      yield* remove(yield* Samples.rule(connection, Samples.onPlace(place)))
      const kept = [
        yield* Samples.rule(connection, Samples.onPlace(place), closing(Timestamp.plus(now, 1))),
        yield* Samples.rule(connection, Samples.ZONE)
      ]
      const seen = yield* rules.create(connection.userId, connection.id, (present, now) => ({
        outcome: { ids: present.map((rule) => rule.id).sort(), now },
        rule: null
      }))
      Check.equal(
        Option.getOrNull(seen),
        { ids: kept.map((rule) => rule.id).sort(), now },
        "what the decision was given"
      )
      Check.equal((yield* list(connection)).length, 3, "and nothing was stored for it")
    })
  },
  {
    name: "create: none, and no decision, for a connection that ended, is another user's, or is not there",
    run: Effect.gen(function* () {
      const rules = yield* RuleStore
      const { connection } = yield* Samples.sharing()
      const other = yield* Samples.sharing()
      const attempt = (userId: Connection["userId"], id: ConnectionId) =>
        rules.create(userId, id, () => Check.fail("nothing is to be decided"))
      Check.isTrue(Option.isNone(yield* attempt(other.user.id, connection.id)), "another user's")
      Check.isTrue(Option.isNone(yield* attempt(connection.userId, ConnectionId.make("con_none"))), "not there")
      yield* Connections.change(connection.id, {
        _tag: "End",
        reason: "user_disconnected",
        at: yield* Timestamp.now
      })
      Check.isTrue(Option.isNone(yield* attempt(connection.userId, connection.id)), "ended")
    })
  },
  {
    name: "create: none from the instant at which the standard tier ends (decision T2)",
    run: Effect.gen(function* () {
      const rules = yield* RuleStore
      const now = yield* Timestamp.now
      const attempt = (standardExpiresAt: Timestamp.Timestamp) =>
        Effect.gen(function* () {
          const { connection } = yield* Samples.sharing({ standardExpiresAt })
          return yield* rules.create(connection.userId, connection.id, () => ({ outcome: true, rule: null }))
        })
      Check.equal(yield* attempt(Timestamp.plus(now, 1)), Option.some(true), "a millisecond before")
      Check.equal(yield* attempt(now), Option.none<boolean>(), "at the instant")
    })
  },
  {
    name: "create: of twenty at once on one connection ten get through the limit of ten (Spec §4.6.6)",
    run: Effect.gen(function* () {
      const rules = yield* RuleStore
      const { connection, place } = yield* Samples.sharing()
      const drafts = yield* Effect.all(
        Array.from({ length: 20 }, () => Samples.draftRule(connection, Samples.onPlace(place)))
      )
      const outcomes = yield* Effect.forEach(
        drafts,
        (draft) =>
          rules.create(connection.userId, connection.id, (present, now) => {
            const windows = present.map((rule) => rule.window)
            const fits = ConcurrentLimit.firstOverflow(windows, draft.window, now) === undefined
            return { outcome: fits, rule: fits ? draft : null }
          }),
        { concurrency: "unbounded" }
      )
      Check.equal(outcomes.filter((outcome) => Option.contains(outcome, true)).length, 10, "admitted")
      Check.equal((yield* list(connection)).length, 10, "stored")
    })
  },
  {
    name: "createZone: of thirty at once twenty ask a question about a zone; what is not asked leaves the questions as they are",
    run: Effect.gen(function* () {
      const rules = yield* RuleStore
      const { connection } = yield* Samples.sharing()
      const circle = { lat: 52.1, lon: 4.9, radiusM: 400 }
      const drafts = yield* Effect.all(Array.from({ length: 30 }, () => Samples.draftRule(connection, Samples.ZONE)))
      const outcomes = yield* Effect.forEach(
        drafts,
        (draft) =>
          rules.createZone(connection.userId, connection.id, (_, now, before) => {
            const asking = ZoneQuestions.ask(before, circle, now)
            return asking._tag === "Asked"
              ? { outcome: "asked", rule: draft, asked: asking.questions }
              : { outcome: "refused", rule: null, asked: null }
          }),
        { concurrency: "unbounded" }
      )
      Check.equal(outcomes.filter((outcome) => Option.contains(outcome, "asked")).length, 20, "asked")
      Check.equal((yield* list(connection)).length, 20, "stored")
      for (const rule of yield* list(connection)) yield* remove(rule)
      const kept = yield* rules.createZone(connection.userId, connection.id, (_, now, before) => ({
        outcome: { ...before, now },
        rule: null,
        asked: null
      }))
      const now = yield* Timestamp.now
      const calls = Array.from({ length: 20 }, () => now)
      Check.equal(
        kept,
        Option.some({ calls, circles: [{ ...circle, askedAt: now }], now }),
        "removing gives nothing back"
      )
    })
  },
  {
    name: "createZone: none, and no decision, for a connection that ended",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.sharing()
      yield* Connections.change(connection.id, { _tag: "End", reason: "user_disconnected", at: yield* Timestamp.now })
      const attempt = (yield* RuleStore).createZone(connection.userId, connection.id, () =>
        Check.fail("nothing is to be decided")
      )
      Check.isTrue(Option.isNone(yield* attempt), "ended")
    })
  }
]

const listing: Contract<Samples.Needs> = [
  {
    name: "list: by creation, then id; of one kind or all; of one connection and its user alone",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      const other = yield* Samples.sharing()
      yield* Samples.rule(other.connection, Samples.onPlace(other.place))
      const now = yield* Timestamp.now
      const onPlace = Samples.onPlace(place)
      const young = yield* Samples.rule(connection, onPlace, { createdAt: Timestamp.plus(now, 2) })
      const old = yield* Samples.rule(connection, Samples.ZONE, { createdAt: Timestamp.plus(now, -2) })
      const twins = [yield* Samples.rule(connection, onPlace), yield* Samples.rule(connection, onPlace)]
      const between = twins.map((rule) => rule.id).sort()
      Check.equal(yield* listedIds(connection), [old.id, ...between, young.id], "all")
      Check.equal(yield* listedIds(connection, "Place"), [...between, young.id], "place rules")
      Check.equal(yield* listedIds(connection, "Zone"), [old.id], "zone rules")
      Check.equal(yield* list({ ...connection, userId: other.user.id }), [], "asked by another user")
    })
  },
  {
    name: "list: page by page, each rule once, of one kind or all; finished ones stay in it",
    run: Effect.gen(function* () {
      const rules = yield* RuleStore
      const { connection, place } = yield* Samples.sharing()
      const now = yield* Timestamp.now
      const made: Array<Rule> = []
      for (let count = 0; count < 7; count++) {
        const target = count % 3 === 0 ? Samples.ZONE : Samples.onPlace(place)
        // Some of one instant, and all of them over.
        const createdAt = Timestamp.plus(now, Math.floor(count / 4))
        made.push(yield* Samples.rule(connection, target, { createdAt, window: { from: null, until: now } }))
      }
      const expected = (kind: Kind) =>
        made
          .filter(({ target }) => kind === "all" || target._tag === kind)
          .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
          .map((rule) => rule.id)
      for (const kind of ["all", "Place", "Zone"] as const) {
        const ids: Array<RuleId> = []
        let after: ReadonlyArray<string | number> | undefined = undefined
        do {
          const page: Page<Rule> = yield* rules.list(connection.userId, connection.id, kind, 2, after)
          ids.push(...page.items.map((rule) => rule.id))
          after = page.next
        } while (after !== undefined)
        Check.equal(ids, expected(kind), kind)
      }
    })
  },
  {
    name: "list: nothing of an ended connection",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      yield* Samples.rule(connection, Samples.onPlace(place))
      yield* Connections.change(connection.id, {
        _tag: "End",
        reason: "user_disconnected",
        at: yield* Timestamp.now
      })
      Check.equal(yield* list(connection), [], "listed")
    })
  },
  {
    name: "list: a renamed place has its new label",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      yield* Samples.rule(connection, Samples.onPlace(place))
      const label = Place.Label.make("Mum's")
      yield* (yield* PlaceStore).update(place.userId, place.id, (before) => ({ ...before, label }))
      const [only] = yield* list(connection)
      Check.equal(only?.target.label, "Mum's", "label")
    })
  }
]

const standing: Contract<Samples.Needs> = [
  {
    name: "disabledAt: when the place was archived (decision L8)",
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
    name: "disabledAt: when the place was withdrawn; null once it is shared again; the new time when withdrawn anew",
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
      const again = { placeId: place.id, sharedAt: yield* Timestamp.now, includeEarlierVisits: false }
      yield* share([again], 3)
      const withdrawnAgainAt = yield* Timestamp.now
      yield* share([], 4)
      Check.equal(yield* disabledAt(connection), withdrawnAgainAt, "withdrawn again, and never listed between")
      yield* share([{ ...again, sharedAt: yield* Timestamp.now }], 5)
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
        return [...(yield* list(connection)), ...Option.toArray(found)].map(({ target }) => target.label)
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
    name: "disabledAt: zones need no place, only their own scope",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.sharing({ heldScopes: ["location.rules.zone"], places: [] })
      yield* Samples.rule(connection, Samples.ZONE)
      Check.equal(yield* disabledAt(connection), null, "disabledAt")
    })
  }
]

const removal: Contract<Samples.Needs> = [
  {
    name: "remove: gone from the list, true once, then false",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      const gone = yield* Samples.rule(connection, Samples.onPlace(place))
      const stays = yield* Samples.rule(connection, Samples.onPlace(place))
      Check.isTrue(yield* remove(gone), "the first time")
      Check.isTrue(!(yield* remove(gone)), "the second time")
      Check.equal(yield* listedIds(connection), [stays.id], "listed")
    })
  },
  {
    name: "remove: false for the other kind, another connection, another user, an unknown id; the rule stays",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      const other = yield* Samples.sharing()
      const rule = yield* Samples.rule(connection, Samples.onPlace(place))
      Check.isTrue(!(yield* remove(rule, { kind: "Zone" })), "as a zone rule")
      Check.isTrue(!(yield* remove(rule, { connectionId: other.connection.id })), "of another connection")
      Check.isTrue(!(yield* remove({ ...rule, userId: other.user.id }, { connectionId: null })), "of another user")
      Check.isTrue(!(yield* remove({ ...rule, id: RuleId.make("rul_none") })), "unknown")
      Check.equal(yield* listedIds(connection), [rule.id], "listed")
    })
  },
  {
    name: "remove: by the user without naming the connection",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.sharing()
      const rule = yield* Samples.rule(connection, Samples.ZONE)
      Check.isTrue(yield* remove(rule, { connectionId: null }), "removed")
      Check.equal(yield* list(connection), [], "listed")
    })
  },
  {
    name: "remove: of several at once exactly one removes",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      const rule = yield* Samples.rule(connection, Samples.onPlace(place))
      const removed = yield* Effect.all(
        Array.from({ length: 5 }, () => remove(rule)),
        { concurrency: "unbounded" }
      )
      Check.equal(removed.filter(Boolean).length, 1, "removals")
    })
  }
]

/** Rules of `RuleStore`. */
export const ruleStoreContract: Contract<Samples.Needs> = [...creation, ...listing, ...standing, ...removal]
