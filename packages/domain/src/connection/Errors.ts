import { Schema } from "effect"
import { AppId, ConnectionId, UserId } from "../shared/Ids.js"
import { SensitiveScope, Scope } from "../shared/Scope.js"
import { Timestamp } from "../shared/Timestamp.js"

/**
 * A bad `GET /authorize` that must not redirect the browser: the client or the redirect URI may be forged, or there is
 * no valid `state` to protect the answer (decision O3). Wire: a page with status 400. `message` is for the person who
 * reads the page.
 */
export class AuthorizePage extends Schema.TaggedError<AuthorizePage>()("AuthorizePage", {
  parameter: Schema.Literal("client_id", "redirect_uri", "state"),
  message: Schema.String
}) {}

/** `GET /authorize` is refused: the browser goes to `uri`, which has the error and the state (RFC 6749 §4.1.2.1). */
export class AuthorizeRedirect extends Schema.TaggedError<AuthorizeRedirect>()("AuthorizeRedirect", {
  error: Schema.Literal("unsupported_response_type", "invalid_scope", "invalid_request"),
  uri: Schema.String
}) {
  override get message(): string {
    return `The request to authorize is refused: ${this.error}`
  }
}

/** Why a consent page cannot be shown or decided. */
export const ConsentRefusal = Schema.Literal(
  /** there is no request of this id, or the user's account was deleted meanwhile */
  "unknown",
  /** the request is older than `ConsentRequest.LIFETIME` */
  "expired",
  /**
   * the request was answered already: `reviewConsent` fails in any case, `decideConsent` if another user answered, or
   * if the app cannot exchange the code of the first answer any more
   */
  "decided",
  /**
   * the user may not connect the app (`App.canBeConnectedBy`), in most cases because the app is not in production
   * (decision A1)
   */
  "sandbox",
  /** the app was revoked, which is final, or was deleted */
  "app_revoked",
  /**
   * the account in whose name the app is registered (`App.ownerId`) is suspended: the app can be connected again after
   * the suspension (decision staff-1)
   */
  "app_suspended",
  /**
   * the user answered a renewal page, but the request is no longer a renewal, so the user must see a new page; or the
   * app no longer has the redirect URI of the request, so the user must start again in the app
   */
  "outdated"
)
export type ConsentRefusal = typeof ConsentRefusal.Type

/** A consent page cannot be shown, or its answer is refused. */
export class ConsentRefused extends Schema.TaggedError<ConsentRefused>()("ConsentRefused", {
  reason: ConsentRefusal
}) {
  override get message(): string {
    return `The consent page cannot be shown, or its answer is refused: ${this.reason}`
  }
}

/**
 * An authorization code or a refresh token is refused. Wire: 400 `invalid_grant`. All refused codes get the same body,
 * and so do all refused refresh tokens. Only the service's log contains `reason`.
 */
export class InvalidGrant extends Schema.TaggedError<InvalidGrant>()("InvalidGrant", { reason: Schema.String }) {
  override get message(): string {
    return "The code or the refresh token is refused"
  }
}

/**
 * An access token is malformed, unknown, expired, revoked or of an earlier family, or its connection has ended. Wire:
 * 401 `invalid_token`, always with the same body, even for a missing token (Spec §7). `known`: the token's connection,
 * for the access log; null for a token that is not stored, because it was never issued, or expired so long ago that the
 * service has deleted it.
 */
export class InvalidToken extends Schema.TaggedError<InvalidToken>()("InvalidToken", {
  known: Schema.NullOr(Schema.Struct({ userId: UserId, connectionId: ConnectionId, appId: AppId }))
}) {
  override get message(): string {
    return "The access token is not valid"
  }
}

/**
 * The connection is suspended (`WithApp.isSuspended`), in most cases because the account of the person or of the app's
 * holder is suspended (decision staff-1). Wire: 503 `connection_on_hold` with `Retry-After`: the app keeps its tokens,
 * and the answer does not show whose account it is. `known`: the connection of a bearer token, for the access log; null
 * when the app sent a code or a refresh token.
 */
export class Suspended extends Schema.TaggedError<Suspended>()("Suspended", {
  known: Schema.NullOr(Schema.Struct({ userId: UserId, connectionId: ConnectionId, appId: AppId }))
}) {
  override get message(): string {
    return "An account of the connection is suspended"
  }
}

/**
 * The app may not use the scope: the user never granted it, it was removed, the app does not declare it, or an admin
 * took it away from the app. Wire: 403 `missing_scope` with the scope.
 */
export class MissingScope extends Schema.TaggedError<MissingScope>()("MissingScope", { scope: Scope }) {
  override get message(): string {
    return "The connection does not have the scope"
  }
}

/** The sensitive tier lapsed and can be renewed. Wire: 403 `scope_expired` with both timestamps (Spec §7). */
export class ScopeExpired extends Schema.TaggedError<ScopeExpired>()("ScopeExpired", {
  scope: SensitiveScope,
  sensitiveExpiredAt: Timestamp,
  renewalGraceEndsAt: Timestamp
}) {
  override get message(): string {
    return "The scope has expired and can be renewed"
  }
}
