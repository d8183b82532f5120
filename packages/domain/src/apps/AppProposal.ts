// How an app in production changes (decision M2). The developer edits the whole `Profile`. Changes that need no review
// take effect at once. The other changes become the app's `Proposal`, and the approved values stay in force until a
// reviewer decides. Decisions apps-4 and apps-5.
import { Schema } from "effect"
import * as Scope from "../shared/Scope.js"
import { type App, type Proposal } from "./App.js"
import { LogoDigest } from "./AppLogo.js"
import * as RedirectUri from "./RedirectUri.js"

/** The fields of an app that a reviewer reads. */
export interface Profile extends Pick<App, "name" | "description" | "homepageUrl" | "logo" | "redirectUris"> {
  readonly scopes: ReadonlyArray<Scope.Scope>
}

/** The app as its developer wants it: the proposed fields, and the fields in force where nothing is proposed. */
export const wanted = (app: App): Profile => ({
  name: app.proposal?.name ?? app.name,
  description: app.proposal?.description ?? app.description,
  homepageUrl: app.proposal?.homepageUrl ?? app.homepageUrl,
  logo: app.proposal?.logo ?? app.logo,
  scopes: app.proposal?.scopes ?? app.declaredScopes,
  redirectUris: app.proposal?.redirectUris ?? app.redirectUris
})

/** Whether two profiles show a reviewer the same values. */
export const readsTheSame = (a: Profile, b: Profile): boolean =>
  a.name === b.name &&
  a.description === b.description &&
  a.homepageUrl === b.homepageUrl &&
  a.logo === b.logo &&
  Scope.same(a.scopes, b.scopes) &&
  sameTexts(a.redirectUris, b.redirectUris)

/** Puts the whole profile in force and removes the proposal. */
export const putInForce = (app: App, { scopes, ...profile }: Profile): App => ({
  ...app,
  ...profile,
  declaredScopes: scopes,
  proposal: null
})

/**
 * Adds the scopes and origins in force to `approvedScopes` and `approvedOrigins`. They stay in these lists even when
 * the developer removes them from the app.
 */
export const approved = (app: App): App => ({
  ...app,
  approvedScopes: Scope.normalise([...app.approvedScopes, ...app.declaredScopes]),
  approvedOrigins: [...new Set([...app.approvedOrigins, ...app.redirectUris.map(RedirectUri.origin)])].sort()
})

/**
 * Applies the profile that the developer of a production app wants. A change that needs no review takes effect at once;
 * the other changes become the proposal. A scope, or the origin of a redirect URI, needs a review only if it was never
 * approved.
 */
export const propose = (before: App, next: Profile): App => {
  const app = approved(before)
  const hasScope = (scope: Scope.Scope) => app.approvedScopes.includes(scope)
  const hasOrigin = (uri: RedirectUri.RedirectUri) => app.approvedOrigins.includes(RedirectUri.origin(uri))
  const proposal: Proposal = {
    name: next.name === app.name ? null : next.name,
    description: next.description === app.description ? null : next.description,
    homepageUrl: next.homepageUrl === app.homepageUrl ? null : next.homepageUrl,
    logo: next.logo === app.logo ? null : next.logo,
    scopes: next.scopes.every(hasScope) ? null : next.scopes,
    redirectUris: next.redirectUris.every(hasOrigin) ? null : next.redirectUris
  }
  return {
    ...app,
    // Removing the homepage or the logo needs no review, because users see nothing new.
    homepageUrl: next.homepageUrl === null ? null : app.homepageUrl,
    logo: next.logo === null ? null : app.logo,
    declaredScopes: inForce(app.declaredScopes, next.scopes, hasScope),
    redirectUris: inForce(app.redirectUris, next.redirectUris, hasOrigin),
    proposal: Object.values(proposal).every((part) => part === null) ? null : proposal
  }
}

/**
 * The approved items of the list that the developer wants. When no item is approved, the present list stays in force
 * until a reviewer decides.
 */
const inForce = <A>(
  present: ReadonlyArray<A>,
  wanted: ReadonlyArray<A>,
  isApproved: (one: A) => boolean
): ReadonlyArray<A> => {
  const kept = wanted.filter(isApproved)
  return kept.length === 0 ? present : kept
}

/** Redirect URIs that wait for a reviewer. No browser is redirected to them. */
export const pendingRedirectUris = (app: App): ReadonlyArray<RedirectUri.RedirectUri> => {
  const origins = approved(app).approvedOrigins
  return (app.proposal?.redirectUris ?? []).filter((uri) => !origins.includes(RedirectUri.origin(uri)))
}

const difference = <A, I>(part: Schema.Schema<A, I>) =>
  Schema.NullOr(Schema.Struct({ approved: Schema.NullOr(part), proposed: part }))

/** For each field that would change: the value in force and the proposed value. Null for a field that stays. */
export const Differences = Schema.Struct({
  name: difference(Schema.String),
  description: difference(Schema.String),
  homepageUrl: difference(Schema.String),
  logo: Schema.optionalWith(difference(LogoDigest), {
    /** Decisions that were stored before apps had logos lack this field. */
    default: () => null
  }),
  scopes: difference(Schema.Array(Scope.Scope)),
  redirectUris: difference(Schema.Array(Schema.String))
})
export type Differences = typeof Differences.Type

/** The values that the waiting change of the app would replace, with the proposed values; null when no change waits. */
export const differences = ({ proposal, ...app }: App): Differences | null => {
  if (proposal === null) return null
  const between = <A>(approved: A | null, proposed: A | null) => (proposed === null ? null : { approved, proposed })
  return {
    name: between<string>(app.name, proposal.name),
    description: between<string>(app.description, proposal.description),
    homepageUrl: between<string>(app.homepageUrl, proposal.homepageUrl),
    logo: between(app.logo, proposal.logo),
    scopes: between(app.declaredScopes, proposal.scopes),
    redirectUris: between<ReadonlyArray<string>>(app.redirectUris, proposal.redirectUris)
  }
}

const sameTexts = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((text, index) => text === b[index])
