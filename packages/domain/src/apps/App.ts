import { Either, Schema } from "effect"
import type { Submittable } from "../reviews/Submission.js"
import type { AppId, UserId } from "../shared/Ids.js"
import { Conflict } from "../shared/Invalid.js"
import * as Scope from "../shared/Scope.js"
import * as Text from "../shared/Text.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { RedirectUri } from "./RedirectUri.js"

/** sandbox → in review → production, or back to sandbox with a note (decision P2). */
export const Status = Schema.Literal("sandbox", "in_review", "production")
export type Status = typeof Status.Type

export const Name = Text.line(1, 60).pipe(Schema.brand("AppName"))
export type Name = typeof Name.Type

export const Description = Text.paragraphs(10, 500).pipe(Schema.brand("AppDescription"))
export type Description = typeof Description.Type

/** A page about the app, linked from where users see the app: http or https and nothing that a browser would run. */
export const HomepageUrl = Schema.String.pipe(
  Schema.maxLength(2048, { message: () => "must be at most 2,048 characters" }),
  Schema.pattern(/^https?:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?(?:[/?#][\x21-\x7e]*)?$/, {
    message: () => "must be an absolute http or https address without credentials"
  }),
  Schema.brand("HomepageUrl")
)
export type HomepageUrl = typeof HomepageUrl.Type

/** What a developer declares: at least one, repeats ignored. */
export const DeclaredScopes = Schema.Array(Scope.Scope).pipe(
  Schema.minItems(1, { message: () => "must name at least one scope" })
)

export interface App extends Submittable {
  readonly id: AppId
  readonly ownerId: UserId
  readonly name: Name
  readonly description: Description
  readonly homepageUrl: HomepageUrl | null
  /** What the developer declared: the most that a user can grant (Spec §5.6). */
  readonly declaredScopes: ReadonlyArray<Scope.Scope>
  /** What an admin left of it; null when nothing was narrowed. */
  readonly allowedScopes: ReadonlyArray<Scope.Scope> | null
  readonly redirectUris: ReadonlyArray<RedirectUri>
  readonly status: Status
  /** What was said with the last decision about the app. */
  readonly reviewNote: string | null
  readonly revokedAt: Timestamp | null
  readonly createdAt: Timestamp
}

/** Declared by the developer and not taken away by an admin. */
export const scopes = (app: Pick<App, "declaredScopes" | "allowedScopes">): ReadonlyArray<Scope.Scope> =>
  app.allowedScopes === null ? app.declaredScopes : Scope.intersect(app.declaredScopes, app.allowedScopes)

/** Until production only the developer's own account can connect (Spec §5.4, decision A1). */
export const canBeConnectedBy = (app: App, userId: UserId): boolean =>
  app.status === "production" || app.ownerId === userId

/** What the developer can change; left out: stays as it is. */
export interface Edit {
  readonly name?: Name | undefined
  readonly description?: Description | undefined
  /** Null takes it away. */
  readonly homepageUrl?: HomepageUrl | null | undefined
  readonly scopes?: ReadonlyArray<Scope.Scope> | undefined
}

/**
 * Scopes can always be given up, and live tokens narrow at once (Spec §5.6). They can be added only in the sandbox: what a
 * reviewer looks at, or has approved, must not grow behind them.
 */
export const edit = (app: App, change: Edit): Either.Either<App, Conflict> => {
  const declaredScopes = change.scopes === undefined ? app.declaredScopes : Scope.normalise(change.scopes)
  const grows = declaredScopes.some((scope) => !app.declaredScopes.includes(scope))
  if (grows && app.status !== "sandbox") return Either.left(new Conflict({ reason: SCOPES_REVIEWED }))
  const edited: App = {
    ...app,
    name: change.name ?? app.name,
    description: change.description ?? app.description,
    homepageUrl: change.homepageUrl === undefined ? app.homepageUrl : change.homepageUrl,
    declaredScopes
  }
  return Either.right(readsTheSame(app, edited) ? app : { ...edited, revision: app.revision + 1 })
}

/** To a reviewer. */
const readsTheSame = (a: App, b: App): boolean =>
  a.name === b.name &&
  a.description === b.description &&
  a.homepageUrl === b.homepageUrl &&
  Scope.same(a.declaredScopes, b.declaredScopes)

export const SCOPES_REVIEWED =
  "scopes can be added in the sandbox only: those of an app in review or production were reviewed"
