import { Schema } from "effect"
import type { Submittable } from "../reviews/Submission.js"
import type { AppId, UserId } from "../shared/Ids.js"
import * as Scope from "../shared/Scope.js"
import * as Text from "../shared/Text.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { RedirectUri } from "./RedirectUri.js"

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

/**
 * What the developer of a production app wants to be different and a reviewer has to decide on first (decision M2). Null: that
 * part stays as it is. The lists are whole: an approval puts exactly them in force.
 */
export const Proposal = Schema.Struct({
  name: Schema.NullOr(Schema.typeSchema(Name)),
  description: Schema.NullOr(Schema.typeSchema(Description)),
  homepageUrl: Schema.NullOr(HomepageUrl),
  scopes: Schema.NullOr(Schema.Array(Scope.Scope)),
  redirectUris: Schema.NullOr(Schema.Array(RedirectUri))
})
export type Proposal = typeof Proposal.Type

/** Name, description, homepage, scopes and redirect URIs are those in force: what users see, and what works. */
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
  /** Every scope that was approved at some time: the developer can declare it again at once. */
  readonly approvedScopes: ReadonlyArray<Scope.Scope>
  /** The origins (`RedirectUri.origin`) of all redirect URIs that were approved at some time. */
  readonly approvedOrigins: ReadonlyArray<string>
  /** What waits for a reviewer while the app is in production; null when nothing does. */
  readonly proposal: Proposal | null
  /** What was said with the last decision about the app. */
  readonly reviewNote: string | null
  readonly revokedAt: Timestamp | null
  readonly createdAt: Timestamp
}

/** The state of an app that was just made: nobody reviewed it. */
export const INITIAL = {
  allowedScopes: null,
  redirectUris: [],
  status: "sandbox",
  approvedScopes: [],
  approvedOrigins: [],
  proposal: null,
  reviewNote: null,
  revision: 1,
  submission: null,
  revokedAt: null
} as const satisfies Partial<App>

/** Declared by the developer and not taken away by an admin. */
export const scopes = (app: Pick<App, "declaredScopes" | "allowedScopes">): ReadonlyArray<Scope.Scope> =>
  app.allowedScopes === null ? app.declaredScopes : Scope.intersect(app.declaredScopes, app.allowedScopes)

/** Until production only the developer's own account can connect (Spec §5.4, decision A1). */
export const canBeConnectedBy = (app: App, userId: UserId): boolean =>
  app.status === "production" || app.ownerId === userId
