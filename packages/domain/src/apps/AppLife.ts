// Decides the transitions of an app, such as its submission for review. Decisions reviews-5 and reviews-6.
import { Either } from "effect"
import * as Submission from "../reviews/Submission.js"
import type { Note, Verdict } from "../reviews/Verdict.js"
import {
  Conflict,
  isOutdatedForm,
  isOutdatedRevision,
  OUTDATED_FORM,
  Scope,
  type ShownState,
  type Timestamp
} from "../shared/index.js"
import type { App, AppDescription, HomepageUrl, AppName } from "./App.js"
import type { LogoDigest } from "./AppLogo.js"
import * as AppProposal from "./AppProposal.js"
import type { RedirectUri } from "./RedirectUri.js"

/**
 * The app after a transition, or the `Conflict` of a transition that the app's state does not allow (Spec §5.4,
 * decisions P2 and M2). packages/domain/docs/state-machines.md draws the states and the transitions.
 */
type Step = Either.Either<App, Conflict>

const refused = (reason: string): Step => Either.left(new Conflict({ reason }))

export const REVOKED = "the app was revoked, which is final"
export const NOT_IN_REVIEW = "the app is not in review"
export const NOTHING_WAITS = "no change to the app waits for a reviewer"
export const OWNERS_WITHDRAW = "the waiting changes include redirect URIs: only owners of this app may withdraw them"

/** The fields that the developer can change. A field that is left out stays as it is. */
export interface AppEdit {
  readonly name?: AppName | undefined
  readonly description?: AppDescription | undefined
  /** Null removes the homepage. */
  readonly homepageUrl?: HomepageUrl | null | undefined
  /** Null removes the logo. */
  readonly logo?: LogoDigest | null | undefined
  readonly scopes?: ReadonlyArray<Scope.Scope> | undefined
}

/**
 * Applies a developer's change. Before production, the change takes effect immediately, but scopes cannot be added
 * during a review. In production, a changed field that needs a review waits for a reviewer (`AppProposal.propose`). To
 * withdraw a waiting field, the developer sets it back to the value in force. The app and its tokens lose a removed
 * scope immediately (Spec §5.6). There is one exception: a production app that would have no approved scope left keeps
 * its present scopes until a reviewer decides. An edit that changes nothing has no effect. `shown` is the revision that
 * the form showed. The result is a `Conflict` with `OUTDATED_FORM` when the app has another revision and the edit would
 * change something (decision apps-11).
 */
export const edit = (app: App, change: AppEdit, now: Timestamp.Timestamp, shown: ShownState<number>): Step => {
  const before = AppProposal.wanted(app)
  return become(
    app,
    {
      ...before,
      name: change.name ?? before.name,
      description: change.description ?? before.description,
      homepageUrl: change.homepageUrl === undefined ? before.homepageUrl : change.homepageUrl,
      logo: change.logo === undefined ? before.logo : change.logo,
      scopes: change.scopes === undefined ? before.scopes : Scope.normalise(change.scopes)
    },
    shown,
    now
  )
}

/**
 * Replaces the redirect URIs, by the rules of `edit`. A revoked app is refused even when nothing changes, because the
 * registration would give the app a new client secret. `shown` is the revision that the form showed, as in `edit`.
 */
export const register = (
  app: App,
  redirectUris: ReadonlyArray<RedirectUri>,
  now: Timestamp.Timestamp,
  shown: ShownState<number>
): Step =>
  app.revokedAt === null ? become(app, { ...AppProposal.wanted(app), redirectUris }, shown, now) : refused(REVOKED)

const become = (app: App, next: AppProposal.Profile, shown: ShownState<number>, now: Timestamp.Timestamp): Step => {
  const before = AppProposal.wanted(app)
  if (AppProposal.readsTheSame(before, next)) return Either.right(app)
  if (app.revokedAt !== null) return refused(REVOKED)
  if (isOutdatedRevision(app, shown)) return refused(OUTDATED_FORM)
  const revision = app.revision + 1
  if (app.status === "production") {
    const after = { ...AppProposal.propose(app, next), revision }
    return Either.right(after.proposal === null ? { ...after, submission: null } : waiting(after, now))
  }
  const grows = next.scopes.some((scope) => !before.scopes.includes(scope))
  if (grows && app.status === "in_review") return refused(SCOPES_IN_REVIEW)
  return Either.right({ ...AppProposal.putInForce(app, next), revision })
}

export const SCOPES_IN_REVIEW = "scopes cannot be added while the app is in review"

/**
 * Puts the app into the queue of the reviewers, and removes the note of the last decision. An app that is in the queue
 * already keeps its place.
 */
const waiting = (app: App, now: Timestamp.Timestamp): App =>
  app.submission === null ? { ...app, reviewNote: null, submission: Submission.of(app, now) } : app

/**
 * Drops the waiting change of a production app. The revision grows, so that a reviewer who has read the change can no
 * longer decide it. `shown` is the revision that the form showed, as in `edit`.
 */
export const withdraw = (app: App, shown: ShownState<number>): Step => {
  if (app.revokedAt !== null) return refused(REVOKED)
  if (app.proposal === null) return refused(NOTHING_WAITS)
  if (isOutdatedRevision(app, shown)) return refused(OUTDATED_FORM)
  return Either.right({ ...app, revision: app.revision + 1, submission: null, proposal: null })
}

/**
 * A member may withdraw the waiting change only if the member's role allows this action (`TeamRole.Action`). Only
 * owners may change redirect URIs, so only owners may withdraw a change that has redirect URIs (decision teams-1).
 */
export const actionToWithdraw = (app: App): "develop" | "secrets" =>
  (app.proposal?.redirectUris ?? null) === null ? "develop" : "secrets"

/**
 * Submits the app for review. Only an app in the sandbox can be submitted. `shown` is the revision that the form
 * showed, as in `edit`: a developer can submit only the revision that this developer has read.
 */
export const submit = (app: App, now: Timestamp.Timestamp, shown: ShownState<number>): Step => {
  if (app.revokedAt !== null) return refused(REVOKED)
  if (app.status === "in_review") return refused("the app is in review already")
  if (app.status === "production") return refused("the app is in production")
  if (isOutdatedRevision(app, shown)) return refused(OUTDATED_FORM)
  return Either.right(waiting({ ...app, status: "in_review" }, now))
}

/**
 * Applies a reviewer's verdict. An app in review goes to production, or back to the sandbox with a note. The waiting
 * change of a production app comes into force, or is dropped. Scopes and origins that were approved once stay approved.
 * The revision grows when a change is dropped: a form that shows the dropped change must not propose it again.
 */
export const decide = (app: App, verdict: Verdict): Step => {
  if (app.revokedAt !== null) return refused(REVOKED)
  if (app.status === "sandbox" || app.submission === null) return refused(NOT_IN_REVIEW)
  const outdated = Submission.outdated(app, verdict.revision)
  if (outdated !== undefined) return Either.left(outdated)
  const decided: App = { ...app, reviewNote: verdict.note, submission: null, proposal: null }
  if (verdict.decision === "reject") {
    return Either.right(
      app.status === "in_review" ? { ...decided, status: "sandbox" } : { ...decided, revision: app.revision + 1 }
    )
  }
  const accepted = AppProposal.putInForce(decided, AppProposal.wanted(app))
  return Either.right({ ...AppProposal.approved(accepted), status: "production" })
}

/** The scopes to which an admin limits an app; null: no limit. */
type Limit = App["allowedScopes"]

/**
 * Limits the app to the scopes `allowed`, whatever it declares now or later; null lifts the limit. Tokens lose the
 * other scopes immediately, because effective scopes are computed at each call (Spec §5.6). `shown` is the limit that
 * the form showed. The result is a `Conflict` with `OUTDATED_FORM` when the app has another limit than `shown`, and the
 * form would change the app's limit (decision apps-11).
 */
export const narrow = (app: App, allowed: Limit, shown: ShownState<Limit>): Step => {
  if (app.revokedAt !== null) return refused(REVOKED)
  const allowedScopes = allowed === null ? null : Scope.normalise(allowed)
  const isPresent = (limit: Limit) => isSameLimit(limit, app.allowedScopes)
  if (isOutdatedForm(isPresent, shown, allowedScopes)) return refused(OUTDATED_FORM)
  return Either.right(isPresent(allowedScopes) ? app : { ...app, allowedScopes })
}

const isSameLimit = (one: Limit, other: Limit): boolean =>
  one === null || other === null ? one === other : Scope.same(one, other)

/**
 * Revokes the app for good, and drops its submission and its waiting change. Every check of a token reads `revokedAt`,
 * so the app's tokens stop working immediately. Revoking a revoked app changes nothing, so the first reason stays.
 */
export const revoke = (app: App, reason: Note, now: Timestamp.Timestamp): App =>
  app.revokedAt === null ? { ...app, revokedAt: now, reviewNote: reason, submission: null, proposal: null } : app
