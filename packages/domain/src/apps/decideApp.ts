import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import * as Staff from "../reviews/Staff.js"
import * as Verdict from "../reviews/Verdict.js"
import type { AppId } from "../shared/Ids.js"
import * as AppLife from "./AppLife.js"
import { changeAsStaff } from "./changeAsStaff.js"

/**
 * A reviewer lets the app into production or sends it back to the sandbox (Spec §5.4, decision P2). `Forbidden` for who is no
 * reviewer, `Invalid` for a rejection without a note, `NotFound`, `Conflict` when it is not in review or was changed since it was
 * read.
 */
export const decideApp = Effect.fn("decideApp")(function* (account: Account, id: AppId, verdict: Verdict.Verdict) {
  yield* Staff.requireReviewer(account)
  const { decision, note } = yield* Verdict.check(verdict)
  const kind = decision === "approve" ? "approved" : "rejected"
  return yield* changeAsStaff(account, id, { kind, note }, (before) => AppLife.decide(before, verdict))
})
