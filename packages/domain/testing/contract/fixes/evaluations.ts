import { Effect, Option } from "effect"
import type { Connection } from "../../../src/connection/Connection.js"
import * as RecentEvaluations from "../../../src/rules/RecentEvaluations.js"
import type { Rule } from "../../../src/rules/Rule.js"
import { type RuleKind, RuleStore } from "../../../src/rules/RuleStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Connections from "../connection/connectionSamples.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "./uploadSamples.js"

type Owner = Pick<Connection, "userId" | "id">

const find = ({ id, userId }: Owner, rule: Pick<Rule, "id">, kind: RuleKind = "all") =>
  Effect.flatMap(RuleStore, (rules) => rules.find(userId, id, rule.id, kind))

const evaluations = ({ id, userId }: Owner, ...rules: ReadonlyArray<Rule>) =>
  Effect.flatMap(RuleStore, (store) =>
    store.evaluations(
      userId,
      id,
      rules.map((rule) => rule.id)
    )
  )

const remove = (rule: Rule) =>
  Effect.gen(function* () {
    yield* (yield* RuleStore).remove(rule.userId, rule.connectionId, rule.id, "all", yield* Timestamp.now)
  })

/** What every `RuleStore` must guarantee about the evaluations that uploads stored. */
export const evaluated: Contract<Uploads.UploadSamplePorts> = [
  {
    name: "find: one rule as the list gives it; none of another kind, connection or user, deleted, or of an ended connection",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      const other = yield* Samples.sharing()
      const rule = yield* Samples.rule(connection, Samples.onPlace(place))
      const zone = yield* Samples.rule(connection, Samples.ZONE)
      for (const kind of ["all", "Place"] as const) {
        Check.equal(yield* find(connection, rule, kind), Option.some(rule), kind)
      }
      Check.equal(yield* find(connection, zone, "Zone"), Option.some(zone), "a zone")
      Check.isTrue(Option.isNone(yield* find(connection, rule, "Zone")), "of the other kind")
      Check.isTrue(Option.isNone(yield* find(other.connection, rule)), "of another connection")
      Check.isTrue(Option.isNone(yield* find({ ...connection, userId: other.user.id }, rule)), "of another user")
      yield* Connections.change(connection.id, { _tag: "SetPlaces", places: [], placesVersion: 2 })
      const withdrawn = yield* find(connection, rule)
      Check.isTrue(Option.isSome(withdrawn) && withdrawn.value.disabledAt !== null, "its place withdrawn")
      yield* remove(zone)
      Check.isTrue(Option.isNone(yield* find(connection, zone)), "deleted")
      const at = yield* Timestamp.now
      yield* Connections.change(connection.id, { _tag: "End", reason: "user_disconnected", at })
      Check.isTrue(Option.isNone(yield* find(connection, rule)), "ended")
    })
  },
  {
    name: "remove: an upload that read the rule before must read again, so no state of a deleted rule is stored [L8]",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      const device = yield* Samples.device(connection.userId)
      const rule = yield* Samples.rule(connection, Samples.onPlace(place))
      const { rules, version } = yield* Uploads.view(device)
      Check.equal(
        rules.map((one) => one.rule.id),
        [rule.id],
        "read with the rule"
      )
      yield* remove(rule)
      Check.isTrue(!(yield* Uploads.commit(device, { version })), "what was read before is not committed")
      Check.equal((yield* Uploads.view(device)).rules, [], "read again")
      Check.isTrue(yield* Uploads.commit(device), "committed")
    })
  },
  {
    name: "evaluations: of the rules asked for; none yet of a new one; a deleted rule and another connection's are left out",
    run: Effect.gen(function* () {
      const { connection, place, user } = yield* Samples.sharing()
      const other = yield* Samples.sharing()
      const [rule, fresh, gone] = [
        yield* Samples.rule(connection, Samples.onPlace(place)),
        yield* Samples.rule(connection, Samples.onPlace(place)),
        yield* Samples.rule(connection, Samples.onPlace(place))
      ]
      const device = yield* Samples.device(connection.userId)
      const now = yield* Timestamp.now
      const recent = [Uploads.evaluation(now, { isTooCoarse: true }), Uploads.evaluation(now)]
      const states = [rule, gone].map((one) => Uploads.progress(one, Uploads.state("1", now), recent))
      Check.isTrue(yield* Uploads.commit(device, { states }), "committed")
      yield* remove(gone)
      const made = yield* evaluations(connection, rule, fresh, gone)
      Check.equal(made.get(rule.id)?.recent, recent, "evaluated")
      Check.equal(made.get(fresh.id)?.recent, RecentEvaluations.none, "new")
      Check.equal(made.size, 2, "the others")
      Check.equal((yield* evaluations(connection)).size, 0, "none asked for")
      Check.equal((yield* evaluations(other.connection, rule)).size, 0, "asked for another connection")
      const second = yield* Connections.connection(user, other.app)
      yield* Connections.approve(yield* Connections.request(other.app), second)
      Check.equal((yield* evaluations(second, rule)).size, 0, "asked for another connection of the same person")
      Check.equal((yield* evaluations({ ...connection, userId: other.user.id }, rule)).size, 0, "by another user")
    })
  },
  {
    name: "evaluations: zonesBefore counts the connection's zone rules that began in the hour before, deleted ones too",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      const other = yield* Samples.sharing()
      const now = yield* Timestamp.now
      const zone = (createdAfter: number, from: number | null = null, of = connection) =>
        Samples.rule(of, Samples.ZONE, {
          createdAt: Timestamp.plus(now, createdAfter),
          window: { from: from === null ? null : Timestamp.plus(now, from), until: null }
        })
      const hour = RecentEvaluations.PERIOD
      yield* remove(yield* zone(-3))
      yield* zone(0, null, other.connection)
      const expected = [
        [yield* zone(-hour), 0],
        [yield* zone(-hour + 1), 1],
        // For `zonesBefore` a rule begins at its creation or at the opening of its window, whichever is later. Of the
        // next two rules, the first begins when its window opens, and the second begins when it is created.
        [yield* zone(-5 * hour, -2), 3],
        [yield* zone(-1, -hour), 4],
        [yield* Samples.rule(connection, Samples.onPlace(place)), 0]
      ] as const
      // These two rules begin at the same instant, so the rule with the smaller id counts as earlier. The first rule of
      // `expected` began a full hour before these two rules, so `zonesBefore` does not count it.
      const [first, second] = [yield* zone(0), yield* zone(0)]
      const twins =
        first.id < second.id
          ? ([
              [first, 4],
              [second, 5]
            ] as const)
          : ([
              [second, 4],
              [first, 5]
            ] as const)
      const all = [...expected, ...twins]
      const made = yield* evaluations(connection, ...all.map(([rule]) => rule))
      Check.equal(
        all.map(([rule]) => made.get(rule.id)?.zonesBefore),
        all.map(([, count]) => count),
        "zones before"
      )
    })
  }
]
