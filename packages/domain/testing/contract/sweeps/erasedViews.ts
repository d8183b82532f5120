import { Effect } from "effect"
import { HistoryStore } from "../../../src/retention-choice/HistoryStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Uploads from "../fixes/uploadSamples.js"
import * as Visits from "../visits/visitSamples.js"

type Ports = HistoryStore | Visits.VisitSamplePorts

/**
 * Deletes one stretch of history of the phone's user. Each `index` gives a different stretch, and no two of these
 * stretches touch.
 */
const erase = ({ userId }: Visits.Phone, now: Timestamp.Timestamp, index: number) =>
  Effect.gen(function* () {
    const from = Timestamp.plus(now, -2 * (index + 1) * Timestamp.MINUTE)
    return yield* (yield* HistoryStore).erase(userId, { from, until: Timestamp.plus(from, Timestamp.MINUTE) }, now)
  })

/** What `HistoryStore.erase` must guarantee together with `FixStore.view` and `StayStore.view`. */
export const erasedViews: Contract<Ports> = [
  {
    name: "erase: a view of an upload or of stays has every stretch that its version stands for [fixes-6, visits-7]",
    run: Effect.gen(function* () {
      const phone = yield* Visits.phone
      const now = yield* Timestamp.now
      const first = (yield* Uploads.view(phone)).version
      const count = 20
      const progress = { isDone: false }
      const deletions = Effect.forEach(Array.from({ length: count }), (_, index) =>
        Effect.zipRight(erase(phone, now, index), Effect.yieldNow())
      ).pipe(Effect.ensuring(Effect.sync(() => void (progress.isDone = true))))
      const views = (view: Effect.Effect<{ version: number; erasures: ReadonlyArray<unknown> }, unknown, Ports>) =>
        Effect.gen(function* () {
          while (!progress.isDone) {
            const { erasures, version } = yield* view
            // Each deletion adds a stretch and raises the version by one. So a view whose version is `least` higher
            // than the first version must have at least `least` stretches.
            const least = version - first
            Check.isTrue(erasures.length >= least, `${erasures.length} stretches at the version after ${least}`)
            yield* Effect.yieldNow()
          }
        })
      yield* Effect.all([deletions, views(Uploads.view(phone)), views(Visits.view(phone))], {
        concurrency: "unbounded",
        discard: true
      })
      Check.equal((yield* Visits.view(phone)).version, first + count, "the version after all of them")
    })
  }
]
