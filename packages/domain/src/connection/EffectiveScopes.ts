// Computes what an app may do at a moment from the grant, the app and the dates of the tiers (decision apps-2).
import * as App from "../apps/App.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as Tier from "../tiers/Tier.js"
import type { Connection } from "./Connection.js"

type Grant = Pick<Connection, "heldScopes" | "standardExpiresAt" | "sensitiveExpiresAt" | "endedAt">
type Declared = Pick<App.App, "declaredScopes" | "allowedScopes" | "revokedAt">

/** Live: not ended, standard tier not passed, app not revoked. Only then do the connection's tokens work. */
export const isLive = (grant: Grant, app: Declared, now: Timestamp): boolean =>
  grant.endedAt === null && app.revokedAt === null && Tier.standardIsLive(grant, now)

/** The scopes on the grant. Sensitive ones stay during their grace period, and are gone after it (Spec §3.1). */
export const held = (grant: Grant, now: Timestamp): ReadonlyArray<Scope.Scope> =>
  Tier.sensitiveState(grant, now) === "removed"
    ? grant.heldScopes.filter((scope) => !Scope.isSensitive(scope))
    : grant.heldScopes

/**
 * `held_scopes` (Spec §2.2): the granted scopes that the app still declares, lapsed sensitive scopes included. A
 * renewal asks for exactly these. Without sensitive scopes they equal the effective scopes.
 */
export const reported = (grant: Grant, app: Declared, now: Timestamp): ReadonlyArray<Scope.Scope> =>
  Scope.intersect(held(grant, now), App.scopes(app))

type Agreed = Grant & Pick<Connection, "agreedScopes">

/**
 * What the user agreed to in this connection and the grace period has not removed. Sensitive scopes whose grace has
 * passed come back through the consent page only (Spec §3.1), also before a sweep has stored their removal.
 */
export const stillAgreed = (grant: Agreed, now: Timestamp): ReadonlyArray<Scope.Scope> =>
  Tier.sensitiveState(grant, now) === "removed"
    ? grant.agreedScopes.filter((scope) => !Scope.isSensitive(scope))
    : grant.agreedScopes

/** The scopes that the user can have granted without the app asking: agreed to, and declared by the app. */
export const agreed = (grant: Agreed, app: Declared, now: Timestamp): ReadonlyArray<Scope.Scope> =>
  Scope.intersect(stillAgreed(grant, now), App.scopes(app))

/** What the app may do at `now`: granted and declared scopes, without lapsed sensitive ones (Spec §5.6). */
export const effective = (grant: Grant, app: Declared, now: Timestamp): ReadonlyArray<Scope.Scope> => {
  if (!isLive(grant, app, now)) return []
  const sensitiveActive = Tier.sensitiveState(grant, now) === "active"
  return Scope.intersect(grant.heldScopes, App.scopes(app)).filter(
    (scope) => sensitiveActive || !Scope.isSensitive(scope)
  )
}

export type Check = "allowed" | "missing" | "lapsed"

/** `lapsed` when a renewal can bring the scope back: in the grace period, while the app still declares the scope. */
export const check = (grant: Grant, app: Declared, scope: Scope.Scope, now: Timestamp): Check =>
  effective(grant, app, now).includes(scope)
    ? "allowed"
    : Scope.isSensitive(scope) &&
        isLive(grant, app, now) &&
        Tier.sensitiveState(grant, now) === "lapsed" &&
        Scope.intersect(grant.heldScopes, App.scopes(app)).includes(scope)
      ? "lapsed"
      : "missing"
