import { Effect, Either } from "effect"
import type { Account } from "../accounts/Account.js"
import * as ReviewDecision from "../reviews/ReviewDecision.js"
import * as Entropy from "../shared/Entropy.js"
import { type AppId, ReviewDecisionId } from "../shared/Ids.js"
import { type Conflict, NotFound } from "../shared/Invalid.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { App } from "./App.js"
import * as AppNotice from "./AppNotice.js"
import * as AppProposal from "./AppProposal.js"
import { AppStore } from "./AppStore.js"

/**
 * One step in an app's life that a reviewer or admin takes: the app, the decision and the mail to its developer are written
 * together. A step that changes nothing leaves no trace.
 */
export const changeAsStaff = (
  by: Account,
  id: AppId,
  { kind, note }: Pick<ReviewDecision.ReviewDecision, "kind" | "note">,
  step: (before: App, now: Timestamp) => Either.Either<App, Conflict>
) =>
  Effect.gen(function* () {
    const decisionId = ReviewDecisionId.make(yield* Entropy.id("rvw"))
    const outcome = yield* (yield* AppStore).update(id, (before, now) => {
      const stepped = step(before.app, now)
      if (Either.isLeft(stepped) || stepped.right === before.app) return { outcome: stepped, after: null }
      const app = stepped.right
      const decision: ReviewDecision.ReviewDecision = {
        id: decisionId,
        appId: id,
        subject: ReviewDecision.ofApp(app, isVerdict(kind) ? AppProposal.differences(before.app) : null),
        kind,
        note,
        by: by.id,
        at: now
      }
      const recorded = { decision, mail: AppNotice.message(app, decision) }
      return { outcome: stepped, after: { ...before, app }, recorded }
    })
    const stepped = yield* Effect.mapError(outcome, () => new NotFound({ what: "app" }))
    return yield* stepped
  })

const isVerdict = (kind: ReviewDecision.Kind): boolean => kind === "approved" || kind === "rejected"
