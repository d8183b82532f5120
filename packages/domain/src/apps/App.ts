// The fields of a registered app, and plain functions on them. Decisions apps-1 and apps-3.
import { Schema } from "effect"
import type { Submittable } from "../reviews/Submission.js"
import { brand } from "../shared/Errors.js"
import { type AppId, Scope, Text, type Timestamp, type UserId } from "../shared/index.js"
import { LogoDigest } from "./AppLogo.js"
import { RedirectUri } from "./RedirectUri.js"

/**
 * A new app is in the sandbox until its developer submits it for review. A reviewer then lets the app into production,
 * or sends it back to the sandbox with a note (decision P2).
 */
export const AppStatus = Schema.Literal("sandbox", "in_review", "production")
export type AppStatus = typeof AppStatus.Type

export const AppName = Text.line(1, 60).pipe(brand("AppName"))
export type AppName = typeof AppName.Type

export const AppDescription = Text.paragraphs(10, 500).pipe(brand("AppDescription"))
export type AppDescription = typeof AppDescription.Type

/**
 * A page about the app, to which the consent page and other pages link. Only http and https, so that the link cannot
 * run code.
 */
export const HomepageUrl = Schema.String.pipe(
  Schema.maxLength(2048, { message: () => "must be at most 2,048 characters" }),
  Schema.pattern(/^https?:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?(?:[/?#][\x21-\x7e]*)?$/, {
    message: () => "must be an absolute http or https address without credentials"
  }),
  brand("HomepageUrl")
)
export type HomepageUrl = typeof HomepageUrl.Type

/** The scopes that a developer declares: at least one, at most as many as there are scopes; repeats are ignored. */
export const DeclaredScopes = Scope.listOf(Scope.Scope).pipe(
  Schema.minItems(1, { message: () => "must name at least one scope" })
)

/**
 * The change to a production app that waits for a reviewer (decision M2). Null means that the field of the app does not
 * change. A list replaces the app's whole list.
 */
export const Proposal = Schema.Struct({
  name: Schema.NullOr(Schema.typeSchema(AppName)),
  description: Schema.NullOr(Schema.typeSchema(AppDescription)),
  homepageUrl: Schema.NullOr(HomepageUrl),
  logo: Schema.optionalWith(Schema.NullOr(LogoDigest), {
    /** Proposals that were stored before apps had logos lack this field. */
    default: () => null
  }),
  scopes: Schema.NullOr(Schema.Array(Scope.Scope)),
  redirectUris: Schema.NullOr(Schema.Array(RedirectUri))
})
export type Proposal = typeof Proposal.Type

/**
 * A registered app. The fields that need a review (name, logo, scopes and so on) have the values in force. Values that
 * wait for a reviewer are in `proposal`.
 */
export interface App extends Submittable {
  readonly id: AppId
  readonly ownerId: UserId
  readonly name: AppName
  readonly description: AppDescription
  readonly homepageUrl: HomepageUrl | null
  /** Null: the app has no logo. */
  readonly logo: LogoDigest | null
  /** The scopes that the developer declared. A user can grant no others (Spec §5.6). */
  readonly declaredScopes: ReadonlyArray<Scope.Scope>
  /** The scopes to which an admin has limited the app; null: no limit. */
  readonly allowedScopes: ReadonlyArray<Scope.Scope> | null
  readonly redirectUris: ReadonlyArray<RedirectUri>
  readonly status: AppStatus
  /** Every scope that was ever approved. The developer can declare each of these scopes again without a review. */
  readonly approvedScopes: ReadonlyArray<Scope.Scope>
  /** The origins (`RedirectUri.origin`) of all redirect URIs that were ever approved. */
  readonly approvedOrigins: ReadonlyArray<string>
  /** The change that waits for a reviewer while the app is in production; null: no change waits. */
  readonly proposal: Proposal | null
  /** The note of the last verdict or of the revocation, until the app waits for a reviewer again; null: no note. */
  readonly reviewNote: string | null
  readonly revokedAt: Timestamp.Timestamp | null
  /**
   * Since when the app is suspended, because the account of its holder (`ownerId`) is suspended (decision staff-1);
   * null: not suspended.
   */
  readonly suspendedAt: Timestamp.Timestamp | null
  readonly createdAt: Timestamp.Timestamp
}

/** The state of a new app, which nobody has reviewed. */
export const INITIAL = {
  logo: null,
  allowedScopes: null,
  redirectUris: [],
  status: "sandbox",
  approvedScopes: [],
  approvedOrigins: [],
  proposal: null,
  reviewNote: null,
  revision: 1,
  submission: null,
  revokedAt: null,
  suspendedAt: null
} as const satisfies Partial<App>

/** The declared scopes, without the scopes that an admin took away. */
export const scopes = (app: Pick<App, "declaredScopes" | "allowedScopes">): ReadonlyArray<Scope.Scope> =>
  app.allowedScopes === null ? app.declaredScopes : Scope.intersect(app.declaredScopes, app.allowedScopes)

/** Whether nobody can connect the app now: the app was revoked, or its holder's account is suspended. */
export const isGone = ({ revokedAt, suspendedAt }: Pick<App, "revokedAt" | "suspendedAt">): boolean =>
  revokedAt !== null || suspendedAt !== null

/**
 * The logo that everybody may see: the approved logo of an app that is in production and not revoked. Null: there is no
 * logo that everybody may see.
 */
export const publicLogo = ({ logo, revokedAt, status }: Pick<App, "logo" | "revokedAt" | "status">) =>
  status === "production" && revokedAt === null ? logo : null

/** The person who wants to connect an app. `testOf`: the app to which this test person belongs; null: a real person. */
export interface Connecting {
  readonly id: UserId
  readonly testOf: AppId | null
}

/**
 * Whether this person can connect the app. Before production, only the person in whose name the app is registered
 * (`ownerId`; Spec §5.4, decision A1) and the app's own test people can. A test person never connects an app in
 * production (decision test-people-3).
 */
export const canBeConnectedBy = (app: App, { id, testOf }: Connecting): boolean =>
  app.status === "production" ? testOf === null : app.ownerId === id || testOf === app.id
