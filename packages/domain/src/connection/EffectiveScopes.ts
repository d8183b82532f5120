// Computes, from the grant, the app and the dates of the tiers, what an app may do at a moment (decision apps-2).
import * as App from "../apps/App.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as Tier from "../tiers/Tier.js"
import type { Connection } from "./Connection.js"

type Grant = Pick<Connection, "heldScopes" | "standardExpiresAt" | "sensitiveExpiresAt" | "endedAt">
type Declared = Pick<App.App, "declaredScopes" | "allowedScopes" | "revokedAt">

/**
 * Whether the connection is live: no end is stored, its standard tier has not ended, and its app is not revoked. Tokens
 * work only while their connection is live.
 */
export const isLive = (grant: Grant, app: Declared, now: Timestamp): boolean =>
  grant.endedAt === null && app.revokedAt === null && Tier.standardIsLive(grant, now)

/** The granted scopes. Lapsed sensitive scopes are included until their grace period ends (Spec §3.1). */
export const granted = (grant: Grant, now: Timestamp): ReadonlyArray<Scope.Scope> =>
  Tier.sensitiveState(grant, now) === "removed"
    ? grant.heldScopes.filter((scope) => !Scope.isSensitive(scope))
    : grant.heldScopes

/**
 * The scopes that the API calls `held_scopes` (Spec §2.2): the granted scopes that the app still declares, lapsed
 * sensitive scopes included. The app must ask for exactly these scopes to renew. Without sensitive scopes, this list
 * equals the effective scopes of a live connection.
 */
export const held = (grant: Grant, app: Declared, now: Timestamp): ReadonlyArray<Scope.Scope> =>
  Scope.intersect(granted(grant, now), App.scopes(app))

/** The granted scopes that the app may not have now: an admin limits the app, or the app no longer declares them. */
export const limited = (grant: Grant, app: Declared, now: Timestamp): ReadonlyArray<Scope.Scope> =>
  granted(grant, now).filter((scope) => !App.scopes(app).includes(scope))

/**
 * Whether the app would have no scope without exact location (the sensitive scopes). If so, the end of exact location
 * ends the connection (decisions connection-6 and consent-8). A granted scope that the app no longer declares does not
 * count. If it counted, the connection would go on for a scope that allows nothing now, and the user would think that
 * the app is disconnected.
 */
export const hasOnlyExactLocation = (grant: Grant, app: Declared, now: Timestamp): boolean =>
  held(grant, app, now).every(Scope.isSensitive)

type Agreed = Grant & Pick<Connection, "agreedScopes">

/**
 * The scopes that the user agreed to in this connection, without sensitive scopes whose grace period is over. After the
 * grace period, sensitive scopes come back through the consent page only (Spec §3.1), even if no sweep has stored their
 * removal yet.
 */
export const stillAgreed = (grant: Agreed, now: Timestamp): ReadonlyArray<Scope.Scope> =>
  Tier.sensitiveState(grant, now) === "removed"
    ? grant.agreedScopes.filter((scope) => !Scope.isSensitive(scope))
    : grant.agreedScopes

/**
 * The scopes that the user can restore without a consent page: the user agreed to them in this connection
 * (`stillAgreed`), and the app declares them. In addition, the user can restore a sensitive scope only if the app has a
 * purpose for it.
 */
export const agreed = (grant: Agreed, app: Declared, now: Timestamp): ReadonlyArray<Scope.Scope> =>
  Scope.intersect(stillAgreed(grant, now), App.scopes(app))

/** What the app may do at `now`: granted and declared scopes, without lapsed sensitive scopes (Spec §5.6). */
export const effective = (grant: Grant, app: Declared, now: Timestamp): ReadonlyArray<Scope.Scope> => {
  if (!isLive(grant, app, now)) return []
  const sensitiveActive = Tier.sensitiveState(grant, now) === "active"
  return Scope.intersect(grant.heldScopes, App.scopes(app)).filter(
    (scope) => sensitiveActive || !Scope.isSensitive(scope)
  )
}

export type Check = "allowed" | "missing" | "lapsed"

/**
 * Whether the app may use the scope at `now`. `lapsed`: the app may not use it now, but a renewal by the user can bring
 * the scope back, because the grace period has not ended and the app still declares the scope.
 */
export const check = (grant: Grant, app: Declared, scope: Scope.Scope, now: Timestamp): Check =>
  effective(grant, app, now).includes(scope)
    ? "allowed"
    : Scope.isSensitive(scope) &&
        isLive(grant, app, now) &&
        Tier.sensitiveState(grant, now) === "lapsed" &&
        Scope.intersect(grant.heldScopes, App.scopes(app)).includes(scope)
      ? "lapsed"
      : "missing"
