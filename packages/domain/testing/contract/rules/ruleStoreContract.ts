import { Effect, Option } from "effect"
import type { Connection } from "../../../src/connection/Connection.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import * as Place from "../../../src/places/Place.js"
import * as ConcurrentLimit from "../../../src/rules/ConcurrentLimit.js"
import type { Rule } from "../../../src/rules/Rule.js"
import { LimitStore } from "../../../src/limits/LimitStore.js"
import * as ZoneQuestions from "../../../src/limits/ZoneQuestions.js"
import { type RuleKind, RuleStore } from "../../../src/rules/RuleStore.js"
import { ConnectionId, RuleId } from "../../../src/shared/Ids.js"
import type { Page } from "../../../src/shared/Page.js"
import { LATE_UPLOAD } from "../../../src/rules/RuleEvaluation.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Connections from "../connection/connectionSamples.js"
import * as Samples from "./ruleSamples.js"
import { standing } from "./ruleStanding.js"

const listedIds = (connection: Connection, kind: RuleKind = "all") =>
  Effect.map(Samples.list(connection, kind), (rules) => rules.map((rule) => rule.id))

const remove = (
  rule: Rule,
  overrides: { readonly connectionId?: ConnectionId | null; readonly kind?: RuleKind } = {}
) =>
  Effect.gen(function* () {
    const { connectionId = rule.connectionId, kind = "all" } = overrides
    return yield* (yield* RuleStore).remove(rule.userId, connectionId, rule.id, kind, yield* Timestamp.now)
  })

const creation: Contract<Samples.RuleSamplePorts | LimitStore> = [
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
      Check.equal(yield* Samples.list(connection), [full], "a rule with everything")
    })
  },
  {
    name: "create: a rule with nothing optional, and a zone's circle and label",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.sharing()
      const zone = yield* Samples.rule(connection, Samples.ZONE, { type: "exit" })
      Check.equal(yield* Samples.list(connection), [zone], "listed")
    })
  },
  {
    name: "create: the decision is given the rules of this connection that uploads evaluate, not deleted ones, and the clock [rules-15]",
    run: Effect.gen(function* () {
      const rules = yield* RuleStore
      const { connection, place } = yield* Samples.sharing()
      const closing = (until: Timestamp.Timestamp) => ({ window: { from: null, until } })
      const now = yield* Timestamp.now
      const evaluatedUntil = Timestamp.plus(now, -LATE_UPLOAD)
      yield* Samples.rule(connection, Samples.onPlace(place), closing(Timestamp.plus(evaluatedUntil, -1)))
      const other = yield* Samples.sharing()
      yield* Samples.rule(other.connection, Samples.onPlace(other.place))
      yield* remove(yield* Samples.rule(connection, Samples.onPlace(place)))
      const kept = [
        yield* Samples.rule(connection, Samples.onPlace(place), closing(evaluatedUntil)),
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
      Check.equal((yield* Samples.list(connection)).length, 4, "and nothing was stored for it")
    })
  },
  {
    name: "create: the decision is given the places that the user shares with the app and has not archived, with their present labels",
    run: Effect.gen(function* () {
      const { connection, place: home, user } = yield* Samples.sharing()
      const [sharedAt, places] = [yield* Timestamp.now, yield* PlaceStore]
      yield* Samples.place(user.id)
      yield* Samples.sharing()
      const [archived, clinic] = [yield* Samples.place(user.id), yield* Samples.place(user.id)]
      const share = (shared: ReadonlyArray<Place.Place>, placesVersion: number) =>
        Connections.change(connection.id, {
          _tag: "SetPlaces",
          places: shared.map(({ id }) => ({ placeId: id, sharedAt, includeEarlierVisits: false })),
          placesVersion
        })
      const given = Effect.map(
        (yield* RuleStore).create(connection.userId, connection.id, (_, __, present) => ({
          outcome: present.map(({ id, label }) => [id, label] as const),
          rule: null
        })),
        (outcome) => new Map(Option.getOrUndefined(outcome))
      )
      yield* share([home, archived, clinic], 2)
      yield* places.update(user.id, archived.id, (before) => Place.archived(before, sharedAt))
      yield* places.update(user.id, clinic.id, (before) => ({ ...before, label: Place.Label.make("Clinic") }))
      const both = new Map([
        [home.id, "Home"],
        [clinic.id, "Clinic"]
      ])
      Check.equal(yield* given, both, "shared")
      yield* share([archived, clinic], 3)
      Check.equal(yield* given, new Map([[clinic.id, "Clinic"]]), "one withdrawn")
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
    name: "create: none from the instant at which the standard tier ends [T2]",
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
    name: "create: of twenty at once on one connection ten get through the limit of ten [§4.6.6]",
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
      Check.equal((yield* Samples.list(connection)).length, 10, "stored")
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
            return asking._tag === "Allowed"
              ? { outcome: "asked", rule: draft, questions: asking.questions }
              : { outcome: "refused", rule: null, questions: null }
          }),
        { concurrency: "unbounded" }
      )
      Check.equal(outcomes.filter((outcome) => Option.contains(outcome, "asked")).length, 20, "asked")
      Check.equal((yield* Samples.list(connection)).length, 20, "stored")
      for (const rule of yield* Samples.list(connection)) yield* remove(rule)
      const kept = yield* rules.createZone(connection.userId, connection.id, (_, now, before) => ({
        outcome: { ...before, now },
        rule: null,
        questions: null
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
    name: "createZone: spends the questions that LimitStore.ask spends, and sees those that it has spent",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.sharing()
      const draft = yield* Samples.draftRule(connection, Samples.ZONE)
      const circle = { lat: 52.1, lon: 4.9, radiusM: 400 }
      const verify = Effect.flatMap(LimitStore, (limits) =>
        limits.ask(connection, (before, now) => ZoneQuestions.ask(before, circle, now))
      )
      yield* verify
      const seen = yield* (yield* RuleStore).createZone(connection.userId, connection.id, (_, now, before) => {
        const asking = ZoneQuestions.ask(before, circle, now)
        return {
          outcome: before.calls.length,
          rule: draft,
          questions: asking._tag === "Allowed" ? asking.questions : Check.fail("there are questions left")
        }
      })
      Check.equal(seen, Option.some(1), "the question of ask")
      const asking = yield* verify
      Check.equal(asking._tag === "Allowed" ? asking.questions.calls.length : 0, 3, "the question of the rule")
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

const listing: Contract<Samples.RuleSamplePorts> = [
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
      Check.equal(yield* Samples.list({ ...connection, userId: other.user.id }), [], "asked by another user")
    })
  },
  {
    name: "list: page by page, each rule once, of one kind or all; finished ones stay in it [rules-5]",
    run: Effect.gen(function* () {
      const rules = yield* RuleStore
      const { connection, place } = yield* Samples.sharing()
      const now = yield* Timestamp.now
      const made: Array<Rule> = []
      for (let count = 0; count < 7; count++) {
        const target = count % 3 === 0 ? Samples.ZONE : Samples.onPlace(place)
        // All these rules are finished, because the list must also show finished rules. Several rules have the same
        // creation time, because a page may end between two rules of the same time.
        const createdAt = Timestamp.plus(now, Math.floor(count / 4))
        made.push(yield* Samples.rule(connection, target, { createdAt, window: { from: null, until: now } }))
      }
      const expected = (kind: RuleKind) =>
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
      Check.equal(yield* Samples.list(connection), [], "listed")
    })
  },
  {
    name: "list: a renamed place has its new label",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      yield* Samples.rule(connection, Samples.onPlace(place))
      const label = Place.Label.make("Mum's")
      yield* (yield* PlaceStore).update(place.userId, place.id, (before) => ({ ...before, label }))
      const [only] = yield* Samples.list(connection)
      Check.equal(only?.target.label, "Mum's", "label")
    })
  }
]

const removal: Contract<Samples.RuleSamplePorts> = [
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
      Check.equal(yield* Samples.list(connection), [], "listed")
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

/** What every `RuleStore` must guarantee: which rules it stores, lists, shows as disabled, and removes. */
export const ruleStoreContract: Contract<Samples.RuleSamplePorts | LimitStore> = [
  ...creation,
  ...listing,
  ...standing,
  ...removal
]
