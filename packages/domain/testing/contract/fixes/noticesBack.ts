import { Effect } from "effect"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { ContractCase } from "../../Contract.js"
import * as RuleSamples from "../rules/ruleSamples.js"
import { advance, claim, forget, found, type ImportSamplePorts, step, waiting } from "./importSamples.js"
import * as Uploads from "./uploadSamples.js"

/** What every `ImportStore` must guarantee about an archive with the notices that its owner chose (`NoticeKind`). */
export const noticesBack: ContractCase<ImportSamplePorts> = {
  name: "advance: notices are added to those that the user chose; a chosen one is a duplicate [exports-9]",
  run: Effect.gen(function* () {
    const begun = yield* waiting()
    const accounts = yield* AccountStore
    const now = yield* Timestamp.now
    yield* claim(begun, "lease", now)
    yield* accounts.chooseNotices(begun.userId, ["weekly"])
    const kinds = ["ends", "weekly", "asked_often"] as const
    const phone = yield* RuleSamples.device(begun.userId)
    const { version } = yield* Uploads.view(phone)
    Check.isTrue(yield* advance(step(begun, "lease", now, { notices: kinds })), "the step")
    Check.isTrue((yield* Uploads.view(phone)).version > version, "uploads are evaluated again, as after every step")
    Check.equal(yield* accounts.notices(begun.userId), ["asked_often", "ends", "weekly"], "chosen")
    const { counts } = yield* found(begun)
    Check.equal([counts.read, counts.stored, counts.duplicates], [3, 2, 1], "counts")
    Check.isTrue(!(yield* advance(step(begun, "lost", now, { notices: ["phone_silent"] }))), "a lost lease")
    Check.equal((yield* accounts.notices(begun.userId)).length, 3, "nothing more")
    yield* forget(begun)
  })
}
