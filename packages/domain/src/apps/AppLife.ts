import { Either } from "effect"
import * as Submission from "../reviews/Submission.js"
import type { Note, Verdict } from "../reviews/Verdict.js"
import { Conflict } from "../shared/Invalid.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { App, Description, HomepageUrl, Name } from "./App.js"
import * as AppProposal from "./AppProposal.js"
import type { RedirectUri } from "./RedirectUri.js"

/**
 * The life of an app after `createApp` (Spec §5.4, decisions P2 and M2; drawn in docs/state-machines.md), and what an admin does
 * to it. A step that is not on the drawing is a `Conflict` and changes nothing.
 */
type Step = Either.Either<App, Conflict>

const refused = (reason: string): Step => Either.left(new Conflict({ reason }))

export const REVOKED = "the app was revoked, which is final"
export const NOT_IN_REVIEW = "the app is not in review"
export const NOTHING_WAITS = "no change to the app waits for a reviewer"

/** What the developer can change; left out: stays as it is. */
export interface Edit {
  readonly name?: Name | undefined
  readonly description?: Description | undefined
  /** Null takes it away. */
  readonly homepageUrl?: HomepageUrl | null | undefined
  readonly scopes?: ReadonlyArray<Scope.Scope> | undefined
}

/**
 * What the developer changes. Before production it takes effect at once, but scopes can be added in the sandbox only. In
 * production what was never approved waits for a reviewer (`AppProposal`); a part that waits is withdrawn by setting it back, all of
 * it by `withdraw`. Scopes can
 * always be given up, and live tokens narrow at once (Spec §5.6). Saying what is there already changes nothing.
 */
export const edit = (app: App, change: Edit, now: Timestamp): Step => {
  const before = AppProposal.wanted(app)
  return become(
    app,
    {
      ...before,
      name: change.name ?? before.name,
      description: change.description ?? before.description,
      homepageUrl: change.homepageUrl === undefined ? before.homepageUrl : change.homepageUrl,
      scopes: change.scopes === undefined ? before.scopes : Scope.normalise(change.scopes)
    },
    now
  )
}

/** Replaces the redirect URIs, by the same rules as `edit`. A revoked app gets no new client secret, so it is refused always. */
export const register = (app: App, redirectUris: ReadonlyArray<RedirectUri>, now: Timestamp): Step =>
  app.revokedAt === null ? become(app, { ...AppProposal.wanted(app), redirectUris }, now) : refused(REVOKED)

const become = (app: App, next: AppProposal.Profile, now: Timestamp): Step => {
  const before = AppProposal.wanted(app)
  if (AppProposal.readsTheSame(before, next)) return Either.right(app)
  if (app.revokedAt !== null) return refused(REVOKED)
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

/** Keeps its turn in the queue when something waited already; a new submission takes the old note away. */
const waiting = (app: App, now: Timestamp): App =>
  app.submission === null ? { ...app, reviewNote: null, submission: Submission.of(app, now) } : app

/**
 * Takes back what of an app in production waits for a reviewer. What is in force stays. The revision counts it: a reviewer who has
 * read the change can decide on it no more.
 */
export const withdraw = (app: App): Step => {
  if (app.revokedAt !== null) return refused(REVOKED)
  if (app.proposal === null) return refused(NOTHING_WAITS)
  return Either.right({ ...app, revision: app.revision + 1, submission: null, proposal: null })
}

/** From the sandbox. */
export const submit = (app: App, now: Timestamp): Step => {
  if (app.revokedAt !== null) return refused(REVOKED)
  switch (app.status) {
    case "sandbox":
      return Either.right({ ...app, status: "in_review", reviewNote: null, submission: Submission.of(app, now) })
    case "in_review":
      return refused("the app is in review already")
    case "production":
      return refused("the app is in production")
  }
}

/**
 * Of an app in review: into production, or back to the sandbox with a note. Of a change to an app in production: into force, or
 * dropped, and what was approved before stays. What is approved once counts as approved for good.
 */
export const decide = (app: App, verdict: Verdict): Step => {
  if (app.revokedAt !== null) return refused(REVOKED)
  if (app.status === "sandbox" || app.submission === null) return refused(NOT_IN_REVIEW)
  const outdated = Submission.outdated(app, verdict.revision)
  if (outdated !== undefined) return Either.left(outdated)
  const decided: App = { ...app, reviewNote: verdict.note, submission: null, proposal: null }
  if (verdict.decision === "reject") {
    return Either.right(app.status === "in_review" ? { ...decided, status: "sandbox" } : decided)
  }
  const accepted = AppProposal.putInForce(decided, AppProposal.wanted(app))
  return Either.right({ ...AppProposal.approved(accepted), status: "production" })
}

/**
 * Leaves the app `allowed` of what it declares, whatever it will declare; null lifts it. Live tokens narrow and widen with it at
 * once, because effective scopes are computed at each call (Spec §5.6).
 */
export const narrow = (app: App, allowed: ReadonlyArray<Scope.Scope> | null): Step => {
  if (app.revokedAt !== null) return refused(REVOKED)
  const allowedScopes = allowed === null ? null : Scope.normalise(allowed)
  const isSame =
    allowedScopes === null || app.allowedScopes === null
      ? allowedScopes === app.allowedScopes
      : Scope.same(allowedScopes, app.allowedScopes)
  return Either.right(isSame ? app : { ...app, allowedScopes })
}

/**
 * Final: from now on no token and no client secret of the app works, whatever else remains to be tidied up. Idempotent: the
 * first time and its reason count.
 */
export const revoke = (app: App, reason: Note, now: Timestamp): App =>
  app.revokedAt === null ? { ...app, revokedAt: now, reviewNote: reason, submission: null, proposal: null } : app
