import { Schema } from "effect"
import { AppId, ConnectionId, UserId } from "../shared/Ids.js"
import { SensitiveScope, Scope } from "../shared/Scope.js"
import { Timestamp } from "../shared/Timestamp.js"

/**
 * `GET /authorize` that nobody may be sent back from: the client or its redirect URI is not known to be genuine, or there is
 * no state to protect the answer (decision O3). Shown as a 400 page; `message` is for the person reading it.
 */
export class AuthorizePage extends Schema.TaggedError<AuthorizePage>()("AuthorizePage", {
  parameter: Schema.Literal("client_id", "redirect_uri", "state"),
  message: Schema.String
}) {}

/** `GET /authorize` refused to the app: the browser goes to `uri`, which carries the error and the state (RFC 6749 §4.1.2.1). */
export class AuthorizeRedirect extends Schema.TaggedError<AuthorizeRedirect>()("AuthorizeRedirect", {
  error: Schema.Literal("unsupported_response_type", "invalid_scope", "invalid_request"),
  uri: Schema.String
}) {}

/** Why a consent page cannot be shown or decided. */
export const ConsentRefusal = Schema.Literal(
  /** No such request. */
  "unknown",
  /** The page was open for longer than `ConsentRequest.LIFETIME`. */
  "expired",
  /** It was answered: this user's own answer (review), or another user's. */
  "decided",
  /** The app is not in production and somebody else's (decision A1). */
  "sandbox",
  /** An administrator revoked the app. */
  "app_revoked",
  /** A renewal page was answered when there was nothing to renew any more: show the page again. */
  "outdated"
)
export type ConsentRefusal = typeof ConsentRefusal.Type

/** An answer to the consent page that cannot be taken. */
export class ConsentRefused extends Schema.TaggedError<ConsentRefused>()("ConsentRefused", {
  reason: ConsentRefusal
}) {}

/**
 * A code or refresh token that gives nothing. Wire: 400 `invalid_grant`, one body for every reason; `reason` is for our own
 * log only.
 */
export class InvalidGrant extends Schema.TaggedError<InvalidGrant>()("InvalidGrant", { reason: Schema.String }) {}

/**
 * An access token that opens nothing: missing, malformed, unknown, expired, revoked, or of a connection that is over. Wire: 401
 * `invalid_token`, one body for all (Spec §7). `known` is whose it was, so that the access log can name it.
 */
export class InvalidToken extends Schema.TaggedError<InvalidToken>()("InvalidToken", {
  known: Schema.NullOr(Schema.Struct({ userId: UserId, connectionId: ConnectionId, appId: AppId }))
}) {}

/** Never granted, removed, or not declared by the app any more. Wire: 403 `missing_scope`, naming the scope. */
export class MissingScope extends Schema.TaggedError<MissingScope>()("MissingScope", { scope: Scope }) {}

/** The sensitive tier lapsed and can still be renewed. Wire: 403 `scope_expired` with both timestamps (Spec §7). */
export class ScopeExpired extends Schema.TaggedError<ScopeExpired>()("ScopeExpired", {
  scope: SensitiveScope,
  sensitiveExpiredAt: Timestamp,
  renewalGraceEndsAt: Timestamp
}) {}
