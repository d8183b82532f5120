import { Effect, Either } from "effect"
import type { Account } from "../accounts/Account.js"
import { REVOKED } from "../apps/AppLife.js"
import { AppStore } from "../apps/AppStore.js"
import * as ReviewDecision from "../reviews/ReviewDecision.js"
import * as Staff from "../reviews/Staff.js"
import * as Verdict from "../reviews/Verdict.js"
import * as Entropy from "../shared/Entropy.js"
import { type PurposeId, ReviewDecisionId } from "../shared/Ids.js"
import { Conflict, NotFound } from "../shared/Invalid.js"
import type { Purpose } from "./Purpose.js"
import * as PurposeLife from "./PurposeLife.js"
import * as PurposeNotice from "./PurposeNotice.js"
import { PurposeStore } from "./PurposeStore.js"

/**
 * A reviewer approves or rejects the purpose; the decision is kept and the developer gets a mail (Spec §3.2, decision P2).
 * `Forbidden` for who is no reviewer, `Invalid` for a rejection without a note, `NotFound`, `Conflict` when it is not in review or
 * was changed since it was read.
 */
export const decidePurpose = Effect.fn("decidePurpose")(function* (
  account: Account,
  id: PurposeId,
  verdict: Verdict.Verdict
) {
  yield* Staff.requireReviewer(account)
  yield* Verdict.check(verdict)
  const purposes = yield* PurposeStore
  const unknown = () => new NotFound({ what: "purpose" })
  const { appId } = yield* Effect.mapError(yield* purposes.find(id), unknown)
  const app = yield* Effect.mapError(yield* (yield* AppStore).find(appId), unknown)
  const decisionId = ReviewDecisionId.make(yield* Entropy.id("rvw"))
  const outcome = yield* purposes.update<Either.Either<Purpose, Conflict>>(id, (before, now) => {
    const decided =
      app.revokedAt === null ? PurposeLife.decide(before, verdict) : Either.left(new Conflict({ reason: REVOKED }))
    if (Either.isLeft(decided)) return { outcome: decided, after: null }
    const after = decided.right
    const decision: ReviewDecision.ReviewDecision = {
      id: decisionId,
      appId,
      subject: ReviewDecision.ofPurpose(after),
      kind: verdict.decision === "approve" ? "approved" : "rejected",
      note: verdict.note,
      by: account.id,
      at: now
    }
    return { outcome: decided, after, recorded: { decision, mail: PurposeNotice.message(app, after, decision) } }
  })
  const decided = yield* Effect.mapError(outcome, unknown)
  return yield* decided
})
