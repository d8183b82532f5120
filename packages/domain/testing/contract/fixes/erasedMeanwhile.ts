import { Effect } from "effect"
import { HistoryStore } from "../../../src/retention-choice/HistoryStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { ContractCase } from "../../Contract.js"
import * as RuleSamples from "../rules/ruleSamples.js"
import { advance, claim, forget, found, type ImportSamplePorts, step, waiting } from "./importSamples.js"
import * as Uploads from "./uploadSamples.js"

/**
 * The owner may delete a stretch of history after a worker has read the file and before the worker stores the entries.
 * Then no `ImportStore` may store the entries of this stretch, because deleted history would come back.
 */
export const erasedMeanwhile: ContractCase<ImportSamplePorts | HistoryStore> = {
  name: "advance: what the owner deleted after the entries were read is not stored and counts as too old; a visit ends there [retention-choice-4]",
  run: Effect.gen(function* () {
    const begun = yield* waiting()
    const { userId } = begun
    const phone = yield* RuleSamples.device(userId)
    const now = yield* Timestamp.now
    const t = (minutes: number, millis = 0) => Timestamp.plus(now, (minutes - 60) * Timestamp.MINUTE + millis)
    yield* claim(begun, "lease", now)
    const read = step(begun, "lease", now, {
      fixes: [t(10, -1), t(10), t(20, -1), t(20)].flatMap((at) => Uploads.fixes(1, at)),
      visits: [Uploads.visit(t(5), t(15)), Uploads.visit(t(12), t(14)), Uploads.visit(t(1), t(2))],
      tooOld: 1
    })
    const store = yield* HistoryStore
    yield* store.erase(userId, { from: t(10), until: t(20) }, now)
    Check.isTrue(yield* advance(read), "the step")
    const stored = yield* Uploads.latest(phone, 10)
    Check.equal(stored.map(({ capturedAt }) => capturedAt).toReversed(), [t(10, -1), t(20)], "fixes")
    Check.equal((yield* store.survey(userId, { after: null, until: null })).visits, 2, "visits")
    Check.equal((yield* store.survey(userId, { after: t(10, -1), until: t(10) })).visits, 1, "it ends at the stretch")
    const { counts } = yield* found(begun)
    Check.equal([counts.read, counts.stored, counts.duplicates, counts.tooOld], [7, 4, 0, 4], "counts")
    Check.isTrue(yield* advance({ ...read, tooOld: 0 }), "the same entries")
    const second = (yield* found(begun)).counts
    Check.equal([second.stored, second.duplicates, second.tooOld], [4, 4, 7], "once")
    const { version } = yield* Uploads.view(phone)
    Check.isTrue(yield* advance(step(begun, "lease", now, { fixes: Uploads.fixes(1, t(15)) })), "nothing that stays")
    Check.isTrue((yield* Uploads.view(phone)).version > version, "uploads are evaluated again in any case")
    yield* forget(begun)
  })
}
