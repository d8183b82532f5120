import { Effect } from "effect"
import { FixStore } from "../../../src/fixes/FixStore.js"
import * as Bucket from "../../../src/leases/Bucket.js"
import { HistoryStore } from "../../../src/retention-choice/HistoryStore.js"
import { unseeded } from "../../../src/rules/RuleEvaluation.js"
import type { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Uploads from "../fixes/uploadSamples.js"
import * as Samples from "../rules/ruleSamples.js"

/** `t(m, millis)` is `m` minutes and `millis` milliseconds after `t(0)`, and `t(0)` is one hour before now. */
const clock = Effect.map(
  Timestamp.now,
  (now) =>
    (minutes: number, millis = 0) =>
      Timestamp.plus(now, (minutes - 60) * Timestamp.MINUTE + millis)
)

const erase = (userId: UserId, from: Timestamp.Timestamp, until: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    return yield* (yield* HistoryStore).erase(userId, { from, until }, yield* Timestamp.now)
  })

/**
 * What `HistoryStore.erase` must guarantee at the first and at the last instant of a deleted stretch. The cases are
 * about a departure that a phone reported without an arrival, and about a crossing after which a rule waits.
 */
export const erasedEdges: Contract<HistoryStore | Uploads.UploadSamplePorts> = [
  {
    name: "erase: a departure that was reported alone goes from the first instant until before the last one; a visit that ends at the first instant stays",
    run: Effect.gen(function* () {
      const t = yield* clock
      const { user } = yield* Samples.sharing()
      const phone = yield* Samples.device(user.id)
      const alone = [t(10, -1), t(10), t(20, -1), t(20)].map((departure) => Uploads.visit(null, departure))
      yield* Uploads.commit(phone, { visits: [...alone, Uploads.visit(t(0), t(10))] })
      const store = yield* HistoryStore
      const left = (after: Timestamp.Timestamp | null, until: Timestamp.Timestamp | null) =>
        Effect.map(store.survey(user.id, { after, until }), ({ visits }) => visits)
      Check.equal(yield* left(null, null), 5, "all of them")
      yield* erase(user.id, t(10), t(20))
      Check.equal(yield* left(null, t(10, -1)), 1, "just before")
      Check.equal(yield* left(t(10, -1), t(10)), 1, "at the first instant: only the visit that began before")
      Check.equal(yield* left(t(10), t(20, -1)), 0, "the last instant")
      Check.equal(yield* left(t(20, -1), null), 1, "just after")
    })
  },
  {
    name: "erase: a rule forgets its side when a crossing from the stretch waits, also when a reading from after the stretch confirmed it [rules-13, retention-choice-4]",
    run: Effect.gen(function* () {
      const t = yield* clock
      const store = yield* FixStore
      for (const [at, isForgotten] of [
        [t(10, -1), false],
        [t(10), true],
        [t(20, -1), true],
        [t(20), false]
      ] as const) {
        const { connection, place, user } = yield* Samples.sharing()
        const rule = yield* Samples.rule(connection, Samples.onPlace(place), { type: "exit", settleS: 7_200 })
        const phone = yield* Samples.device(user.id)
        const { basis } = yield* Uploads.onlyLive(connection)
        // The person has left: the newest reading is outside the place, and later than the deleted stretch.
        const until = Timestamp.plus(at, 2 * Timestamp.HOUR)
        const unsettled = { at, until, fires: true }
        const left = Uploads.state(basis, t(25), { side: "outside", since: null, dwellSpent: false, unsettled })
        yield* Uploads.commit(phone, { states: [Uploads.progress(rule, left)] })
        yield* erase(user.id, t(10), t(20))
        const { asOf, lastFiredAt } = left
        Check.equal(
          (yield* Uploads.onlyLive(connection)).state,
          isForgotten ? { ...unseeded(basis), asOf, lastFiredAt } : left,
          `the state of the crossing ${(at - t(0)) / Timestamp.MINUTE}`
        )
        const due = (yield* store.settling(Bucket.ALL, until, 10_000)).filter((one) => one === user.id)
        Check.equal(due, isForgotten ? [] : [user.id], "whether it still counts")
      }
    })
  }
]
