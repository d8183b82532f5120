import { Effect, Either } from "effect"
import type { Account } from "../accounts/Account.js"
import { announceAudit, type AuditEvent } from "../audit/index.js"
import { AppLife, AppStore, readersOf, teamOf } from "../apps/index.js"
import { decideWithoutOwn, ReviewDecision, Staff, Verdict } from "../reviews/index.js"
import * as PurposeReview from "./PurposeReview.js"
import { Conflict, Entropy, NotFound, program, type PurposeId, ReviewDecisionId } from "../shared/index.js"
import type { Purpose } from "./Purpose.js"
import * as PurposeLife from "./PurposeLife.js"
import * as PurposeNotice from "./PurposeNotice.js"
import { PurposeStore } from "./PurposeStore.js"

/**
 * A reviewer approves or rejects the purpose. The decision is stored and mailed to all owners of the app (Spec §3.2,
 * decision P2). Its errors:
 * - `Forbidden` for an account that is neither reviewer nor admin, and for a member of the app's team while an account
 *   outside the team can review.
 * - `Invalid` for a rejection without a note.
 * - `NotFound` for an unknown purpose.
 * - `Conflict` when the purpose is not in review, was changed after the reviewer read it, or belongs to a revoked app.
 */
export const decidePurpose = program(
  "decidePurpose",
  function* (account: Account, id: PurposeId, verdict: Verdict.Verdict) {
    yield* Staff.requireReviewer(account)
    yield* Verdict.check(verdict)
    const purposes = yield* PurposeStore
    const unknown = () => new NotFound({ what: "purpose" })
    const { appId } = yield* Effect.mapError(yield* purposes.find(id), unknown)
    const app = yield* Effect.mapError(yield* (yield* AppStore).find(appId), unknown)
    const team = yield* teamOf(app)
    const owners = yield* readersOf(app, ["owner"])
    yield* decideWithoutOwn(account, Staff.DECIDING.reviews, team, (mayBeOwn) =>
      team.includes(account.id) && !mayBeOwn ? new Staff.OwnWork() : Effect.void
    )
    const decisionId = ReviewDecisionId.make(yield* Entropy.id("rvw"))
    let committed: AuditEvent.AuditEvent | undefined
    const outcome = yield* purposes.update<Either.Either<Purpose, Conflict>>(id, (before, now) => {
      const decided =
        app.revokedAt === null
          ? PurposeLife.decide(before, verdict)
          : Either.left(new Conflict({ reason: AppLife.REVOKED }))
      if (Either.isLeft(decided)) return { outcome: decided, after: null }
      const after = decided.right
      const decision: ReviewDecision.ReviewDecision<PurposeReview.PurposeUnderReview> = {
        id: decisionId,
        appId,
        subject: PurposeReview.of(after),
        kind: ReviewDecision.kindOf(verdict),
        note: verdict.note,
        by: account.id,
        at: now
      }
      committed = ReviewDecision.auditEvent(decision, app.ownerId, id)
      const mail = PurposeNotice.message(app, after, decision)
      const mails = owners.map((to) => ({ ...mail, to }))
      return { outcome: decided, after, recorded: { decision, mails, audit: committed } }
    })
    if (committed !== undefined) yield* announceAudit(committed)
    const decided = yield* Effect.mapError(outcome, unknown)
    return yield* decided
  }
)
