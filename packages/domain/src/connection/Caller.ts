import { Either } from "effect"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Owner } from "./Connection.js"
import type { WithApp } from "./ConnectionStore.js"
import * as EffectiveScopes from "./EffectiveScopes.js"
import { InvalidToken, MissingScope, ScopeExpired } from "./Errors.js"
import { type AccessToken, accessIsLive } from "./TokenFamily.js"
import * as Tier from "../tiers/Tier.js"

/** Who calls: a live connection, its app, and what it may do at `at`. */
export interface Caller extends WithApp {
  readonly scopes: ReadonlyArray<Scope.Scope>
  /** When the token was checked; decisions about the call use this moment. */
  readonly at: Timestamp
}

/** Whose access log the call is entered in, and for which app. */
export const owner = ({ connection }: WithApp): Owner => ({
  userId: connection.userId,
  connectionId: connection.id,
  appId: connection.appId
})

/** Expired, revoked and ended are all the same to the caller (Spec §7). */
export const admit = (
  found: WithApp & { readonly token: AccessToken },
  now: Timestamp
): Either.Either<Caller, InvalidToken> => {
  const { app, connection, token } = found
  return accessIsLive(token, now) &&
    token.familyId === connection.familyId &&
    EffectiveScopes.isLive(connection, app, now)
    ? Either.right({ connection, app, at: now, scopes: EffectiveScopes.effective(connection, app, now) })
    : Either.left(new InvalidToken({ known: owner(found) }))
}

/** Spec §7: 403 `scope_expired` only while a renewal would bring the scope back, else `missing_scope`. */
export const requireScope = (
  { app, connection }: WithApp,
  scope: Scope.Scope,
  now: Timestamp
): Either.Either<void, MissingScope | ScopeExpired> => {
  const { sensitiveExpiresAt } = connection
  switch (EffectiveScopes.check(connection, app, scope, now)) {
    case "allowed":
      return Either.void
    case "lapsed":
      return Scope.isSensitive(scope) && sensitiveExpiresAt !== null
        ? Either.left(
            new ScopeExpired({
              scope,
              sensitiveExpiredAt: sensitiveExpiresAt,
              renewalGraceEndsAt: Tier.graceEndsAt(sensitiveExpiresAt)
            })
          )
        : Either.left(new MissingScope({ scope }))
    case "missing":
      return Either.left(new MissingScope({ scope }))
  }
}

/** `GET /v1/answers/places` is open to every standard scope (decisions §3). Names the first when there is none. */
export const requireAnyStandard = ({ app, connection }: WithApp, now: Timestamp): Either.Either<void, MissingScope> =>
  EffectiveScopes.effective(connection, app, now).some((scope) => !Scope.isSensitive(scope))
    ? Either.void
    : Either.left(new MissingScope({ scope: "location.place.current" }))
