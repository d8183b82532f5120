import { Either } from "effect"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { ConnectionOwner } from "../connection/Connection.js"
import type { WithApp } from "../connection/ConnectionStore.js"
import * as Pause from "../connection/Pause.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import { InvalidToken, MissingScope, ScopeExpired, Suspended } from "../connection/Errors.js"
import { type AccessToken, accessIsLive } from "./TokenFamily.js"
import * as Tier from "../tiers/Tier.js"

/** An app's authenticated request: a live connection, its app, and the scopes that are effective at `at`. */
export interface Caller extends WithApp {
  readonly scopes: ReadonlyArray<Scope.Scope>
  /** When the token was checked. All decisions about the request use this time. */
  readonly at: Timestamp
}

/** The user, connection and app of the access-log entry for the request. */
export const owner = ({ connection }: WithApp): ConnectionOwner => ({
  userId: connection.userId,
  connectionId: connection.id,
  appId: connection.appId
})

/**
 * Whether the user has paused the app. The token still works, but the answers about where the user is or was are those
 * for a user without any reading, such as `unknown` or an empty list (decision connection-4).
 */
export const isPaused = ({ at, connection }: Caller): boolean => Pause.isOn(connection.pause, at)

/**
 * Accepts a live token. An expired token, a revoked token, a token of an earlier family and a token of an ended
 * connection give the same error (Spec §7). A live token of a suspended connection (`WithApp.isSuspended`) gives
 * `Suspended`.
 */
export const admit = (
  found: WithApp & { readonly token: AccessToken },
  now: Timestamp
): Either.Either<Caller, InvalidToken | Suspended> => {
  const { app, connection, token } = found
  const isLive =
    accessIsLive(token, now) && token.familyId === connection.familyId && EffectiveScopes.isLive(connection, app, now)
  if (!isLive) return Either.left(new InvalidToken({ known: owner(found) }))
  return found.isSuspended
    ? Either.left(new Suspended({ known: owner(found) }))
    : Either.right({ connection, app, at: now, scopes: EffectiveScopes.effective(connection, app, now) })
}

/**
 * Fails unless the scope is effective: with 403 `scope_expired` when a renewal would bring the scope back, else with
 * 403 `missing_scope` (Spec §7).
 */
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

/**
 * Fails when no standard scope is effective, for the calls for which any standard scope is enough (decisions §3). The
 * error names the first standard scope; the HTTP adapter replaces it with the text that any standard scope is enough.
 */
export const requireAnyStandard = ({ app, connection }: WithApp, now: Timestamp): Either.Either<void, MissingScope> =>
  EffectiveScopes.effective(connection, app, now).some((scope) => !Scope.isSensitive(scope))
    ? Either.void
    : Either.left(new MissingScope({ scope: "location.place.current" }))
