import { type Rule, RuleStore } from "@place-access/domain/rules"
import { Effect, Option } from "effect"
import { instead, type Plant } from "./plant.js"
import { HOUR, inScene, type Scene } from "./scene.js"

/** Deliberate bugs (plants) in the limit of ten rules that are active at the same time. */

const many = ({ rule }: Scene, count: number) => Effect.replicateEffect(rule(), count)

/** Plants a bug: when a rule is created, the check of the limit gets a list of rules that `change` has falsified. */
const presenting = (change: (present: ReadonlyArray<Rule.Rule>) => ReadonlyArray<Rule.Rule>) =>
  instead(RuleStore, (store) => ({
    create: (userId, connectionId, decide) =>
      store.create(userId, connectionId, (present, now, places) => decide(change(present), now, places))
  }))

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "C1",
    what: "at most nine rules are counted",
    sabotage: presenting((present) => present.slice(0, 9)),
    scenario: inScene((scene) => many(scene, 11))
  },
  {
    oracle: "C2",
    what: "the newest rule is counted twice",
    sabotage: presenting((present) => [...present, ...present.slice(-1)]),
    scenario: inScene((scene) => many(scene, 10))
  },
  {
    oracle: "C3",
    what: "counting and storing are not one step",
    sabotage: instead(RuleStore, (store) => ({
      create: (userId, connectionId, decide) =>
        Effect.gen(function* () {
          let read: ReadonlyArray<Rule.Rule> = []
          yield* store.create(userId, connectionId, (present) => {
            read = present
            return { outcome: null, rule: null }
          })
          yield* Effect.yieldNow()
          return yield* store.create(userId, connectionId, (_, now, places) => decide(read, now, places))
        })
    })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* many(scene, 9)
        yield* Effect.all([scene.rule(), scene.rule()], { concurrency: "unbounded" })
      })
    )
  },
  {
    oracle: "C4",
    what: "a rule that is removed is counted for another hour",
    sabotage: instead(RuleStore, (store) => {
      const removed: Array<{ readonly rule: Rule.Rule; readonly at: number }> = []
      return {
        remove: (userId, connectionId, id, kind, at) =>
          Effect.gen(function* () {
            const found = connectionId === null ? Option.none() : yield* store.find(userId, connectionId, id, kind)
            const isRemoved = yield* store.remove(userId, connectionId, id, kind, at)
            if (isRemoved && Option.isSome(found)) removed.push({ rule: found.value, at })
            return isRemoved
          }),
        create: (userId, connectionId, decide) =>
          store.create(userId, connectionId, (present, now, places) => {
            const gone = removed.filter(({ at, rule }) => rule.connectionId === connectionId && now < at + HOUR)
            return decide([...present, ...gone.map(({ rule }) => rule)], now, places)
          })
      }
    }),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        const [first = ""] = yield* many(scene, 10)
        yield* scene.connection.call({ endpoint: "DELETE /v1/rules/place/{id}", ruleId: first })
        yield* scene.rule()
      })
    )
  }
]
