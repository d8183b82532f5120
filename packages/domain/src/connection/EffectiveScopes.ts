import * as App from "../apps/App.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as Tier from "../tiers/Tier.js"
import type { Connection } from "./Connection.js"

type Grant = Pick<Connection, "heldScopes" | "standardExpiresAt" | "sensitiveExpiresAt" | "endedAt">
type Declared = Pick<App.App, "declaredScopes" | "allowedScopes" | "revokedAt">

/** Neither ended nor past its standard tier, and the app not revoked: only then does any token work. */
export const isLive = (grant: Grant, app: Declared, now: Timestamp): boolean =>
  grant.endedAt === null && app.revokedAt === null && Tier.standardIsLive(grant, now)

/** Scopes still on the grant: the sensitive ones stay through the grace and are gone after it (Spec §3.1). */
export const held = (grant: Grant, now: Timestamp): ReadonlyArray<Scope.Scope> =>
  Tier.sensitiveState(grant, now) === "removed"
    ? grant.heldScopes.filter((scope) => !Scope.isSensitive(scope))
    : grant.heldScopes

/**
 * `held_scopes` (Spec §2.2): what is on the grant and still declared by the app, lapsed sensitive scopes included. Exactly these
 * can be asked for to renew; without sensitive scopes among them they equal the effective ones.
 */
export const reported = (grant: Grant, app: Declared, now: Timestamp): ReadonlyArray<Scope.Scope> =>
  Scope.intersect(held(grant, now), App.scopes(app))

/** What the app may do at `now`: grant ∩ declared, without sensitive scopes that lapsed (Spec §5.6). */
export const effective = (grant: Grant, app: Declared, now: Timestamp): ReadonlyArray<Scope.Scope> => {
  if (!isLive(grant, app, now)) return []
  const sensitiveActive = Tier.sensitiveState(grant, now) === "active"
  return Scope.intersect(grant.heldScopes, App.scopes(app)).filter(
    (scope) => sensitiveActive || !Scope.isSensitive(scope)
  )
}

export type Check = "allowed" | "missing" | "lapsed"

/** `lapsed` only while a renewal can bring the scope back: within the grace and still declared by the app. */
export const check = (grant: Grant, app: Declared, scope: Scope.Scope, now: Timestamp): Check =>
  effective(grant, app, now).includes(scope)
    ? "allowed"
    : Scope.isSensitive(scope) &&
        isLive(grant, app, now) &&
        Tier.sensitiveState(grant, now) === "lapsed" &&
        Scope.intersect(grant.heldScopes, App.scopes(app)).includes(scope)
      ? "lapsed"
      : "missing"
