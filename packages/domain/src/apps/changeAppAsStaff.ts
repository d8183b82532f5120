import { Effect, Either } from "effect"
import type { Account } from "../accounts/Account.js"
import { announceAudit, type AuditEvent } from "../audit/index.js"
import { decideWithoutOwn, mayDecide } from "../reviews/decideWithoutOwn.js"
import * as ReviewDecision from "../reviews/ReviewDecision.js"
import * as Staff from "../reviews/Staff.js"
import * as Verdict from "../reviews/Verdict.js"
import {
  type AppId,
  type Conflict,
  Entropy,
  NotFound,
  program,
  ReviewDecisionId,
  type ShownState,
  type UserId
} from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { App } from "./App.js"
import * as AppLife from "./AppLife.js"
import * as AppNotice from "./AppNotice.js"
import * as AppProposal from "./AppProposal.js"
import * as AppReview from "./AppReview.js"
import { AppStore } from "./AppStore.js"
import { teamOf } from "./readApps.js"

/**
 * Stores a reviewer's decision: the app goes to production or back to the sandbox, or the waiting change of a
 * production app comes into force or is dropped (Spec §5.4, decision P2). Fails with:
 * - `Forbidden` for an account that is neither reviewer nor admin, and for an app of the reviewer's own team while
 *   another reviewer or admin can decide
 * - `Invalid` for a rejection without a note
 * - `NotFound` for an unknown app
 * - `Conflict` when nothing about the app waits for a reviewer, when the app is revoked, and when the app was changed
 *   since the reviewer read it
 */
export const decideApp = program("decideApp", function* (account: Account, id: AppId, verdict: Verdict.Verdict) {
  yield* Staff.requireReviewer(account)
  const { note } = yield* Verdict.check(verdict)
  const kind = ReviewDecision.kindOf(verdict)
  const team = yield* teamById(id)
  return yield* decideWithoutOwn(account, Staff.DECIDING.reviews, team, (mayBeOwn) =>
    changeAsStaff(account, id, { kind, note }, (before): Either.Either<App, Conflict | Staff.OwnWork> =>
      isOwn(account, team, before) && !mayBeOwn ? Either.left(new Staff.OwnWork()) : AppLife.decide(before, verdict)
    )
  )
})

/**
 * Limits the app to the scopes `allowed`, for an admin; null lifts the limit. Tokens that were issued before lose the
 * other scopes too (Spec §5.6). Idempotent. Fails with:
 * - `Forbidden` for an account that is no admin, and for an app of the admin's own team while another admin can decide
 * - `NotFound` for an unknown app
 * - `Conflict` for a revoked app, and for a form that showed another limit (`shown`, as in `AppLife.narrow`)
 */
export const narrowApp = program(
  "narrowApp",
  function* (account: Account, id: AppId, allowed: App["allowedScopes"], shown: ShownState<App["allowedScopes"]>) {
    yield* Staff.requireAdmin(account)
    const team = yield* teamById(id)
    return yield* decideWithoutOwn(account, Staff.DECIDING.scopes, team, (mayBeOwn) =>
      changeAsStaff(
        account,
        id,
        { kind: "narrowed", note: null },
        (before): Either.Either<App, Conflict | Staff.OwnWork> =>
          isOwn(account, team, before) && !mayBeOwn
            ? Either.left(new Staff.OwnWork())
            : AppLife.narrow(before, allowed, shown)
      )
    )
  }
)

/**
 * Whether the account may review the app and its purposes (`what` is "reviews"), or limit the app's scopes ("scopes").
 * Decision reviews-1.
 */
export const mayDecideAbout = program(
  "mayDecideAbout",
  function* (account: Account, app: Pick<App, "id" | "ownerId">, what: keyof typeof Staff.DECIDING) {
    return yield* mayDecide(account, Staff.DECIDING[what], yield* teamOf(app))
  }
)

/**
 * Applies the transition `step` for a reviewer or an admin. The changed app, the decision, the mails and the audit
 * event are committed together. Nothing is stored when the transition fails or changes nothing.
 */
export const changeAsStaff = <E>(
  by: Account,
  id: AppId,
  { kind, note }: Pick<ReviewDecision.ReviewDecision<unknown>, "kind" | "note">,
  step: (before: App, now: Timestamp) => Either.Either<App, E>
) =>
  Effect.gen(function* () {
    const decisionId = ReviewDecisionId.make(yield* Entropy.id("rvw"))
    const apps = yield* AppStore
    const owners = (yield* apps.members(id)).filter(({ role }) => role === "owner")
    let committed: AuditEvent.AuditEvent | undefined
    const outcome = yield* apps.update(id, (before, now) => {
      const stepped = step(before.app, now)
      if (Either.isLeft(stepped) || stepped.right === before.app) return { outcome: stepped, after: null }
      const app = stepped.right
      const decision: ReviewDecision.ReviewDecision<AppReview.AppUnderReview> = {
        id: decisionId,
        appId: id,
        subject: AppReview.of(app, isVerdict(kind) ? AppProposal.differences(before.app) : null),
        kind,
        note,
        by: by.id,
        at: now
      }
      committed = ReviewDecision.auditEvent(decision, app.ownerId, null)
      const mail = AppNotice.message(app, decision)
      const mails = [mail, ...owners.map(({ userId }) => ({ ...mail, to: userId }))]
      const recorded = { decision, mails, audit: committed }
      return { outcome: stepped, after: { ...before, app }, recorded }
    })
    if (committed !== undefined) yield* announceAudit(committed)
    const stepped = yield* Effect.mapError(outcome, () => new NotFound({ what: "app" }))
    return yield* stepped
  })

const teamById = (id: AppId) =>
  Effect.gen(function* () {
    const app = yield* Effect.mapError(yield* (yield* AppStore).find(id), () => new NotFound({ what: "app" }))
    return yield* teamOf(app)
  })

/**
 * Whether the account is in the app's team. A reviewer or admin in the team does not decide about the app while another
 * reviewer or admin can (decision teams-1).
 */
const isOwn = (account: Account, team: ReadonlyArray<UserId>, app: App): boolean =>
  team.includes(account.id) || app.ownerId === account.id

const isVerdict = (kind: ReviewDecision.ReviewKind): boolean => kind === "approved" || kind === "rejected"
