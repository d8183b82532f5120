import { Either } from "effect"
import * as Submission from "../reviews/Submission.js"
import type { Note, Verdict } from "../reviews/Verdict.js"
import { Conflict } from "../shared/Invalid.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { App } from "./App.js"

/**
 * The life of an app after `createApp` (Spec §5.4, decision P2; drawn in docs/state-machines.md), and what an admin does to it.
 * A step that is not on the drawing is a `Conflict` and changes nothing. What the developer edits: `App.edit`.
 */
type Step = Either.Either<App, Conflict>

const refused = (reason: string): Step => Either.left(new Conflict({ reason }))

export const REVOKED = "the app was revoked, which is final"
export const NOT_IN_REVIEW = "the app is not in review"

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

/** Into production, or back to the sandbox with a note. */
export const decide = (app: App, verdict: Verdict): Step => {
  if (app.revokedAt !== null) return refused(REVOKED)
  if (app.status !== "in_review") return refused(NOT_IN_REVIEW)
  const outdated = Submission.outdated(app, verdict.revision)
  if (outdated !== undefined) return Either.left(outdated)
  return Either.right({
    ...app,
    status: verdict.decision === "approve" ? "production" : "sandbox",
    reviewNote: verdict.note,
    submission: null
  })
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
  app.revokedAt === null ? { ...app, revokedAt: now, reviewNote: reason, submission: null } : app
