import { Effect } from "effect"
import { FixStore } from "../../../src/fixes/FixStore.js"
import { StayStore } from "../../../src/visits/StayStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { ContractCase } from "../../Contract.js"
import { advance, claim, forget, type ImportSamplePorts, step, waiting } from "./importSamples.js"
import * as Uploads from "./uploadSamples.js"

/** A rule of `ImportStore` about fixes of an archive that were captured while the device was left behind. */
export const marksBack: ContractCase<ImportSamplePorts | StayStore> = {
  name: "advance: a fix of an archive keeps the mark that its device was left behind [M14, exports-7]",
  run: Effect.gen(function* () {
    const begun = yield* waiting()
    const { deviceId, userId } = begun
    const now = yield* Timestamp.now
    yield* claim(begun, "lease", now)
    const fixes = Uploads.fixes(3, Timestamp.plus(now, -Timestamp.DAY))
    const marked = fixes.map((fix, index) => (index === 1 ? { ...fix, isLeftBehind: true as const } : fix))
    Check.isTrue(yield* advance(step(begun, "lease", now, { fixes: marked })), "the step")
    const stored = yield* (yield* FixStore).latest(userId, 10)
    const marks = stored.map(({ isLeftBehind }) => isLeftBehind === true)
    Check.equal(marks, [false, true, false], "the marks")
    const from = Timestamp.make(0)
    const seen = yield* (yield* StayStore).fixes(userId, deviceId, from, 10)
    const isWhere = seen.map((fix, index) => fix.lat === fixes[index]?.lat)
    Check.equal(isWhere, [true, false, true], "for stays, the device was elsewhere")
    yield* forget(begun)
  })
}
