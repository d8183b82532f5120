import { HttpApiSchema } from "@effect/platform"
import { Timestamp } from "@place-access/domain/shared"
import { Schema } from "effect"

/**
 * Every error body of the API: `{ statusCode, error, message }`, without internals (Spec §7, decisions §5). Some bodies
 * have further fields. The bodies are plain structs, because a tagged error would send `_tag` to the client. Handlers
 * fail with constants of this module, or with values that its functions make. The edge encodes these values.
 */

const fields = <const Status extends number, const Code extends string>(statusCode: Status, error: Code) => ({
  statusCode: Schema.Literal(statusCode),
  error: Schema.Literal(error),
  message: Schema.String
})

const named = <A>(status: number, identifier: string, description: string): Schema.Annotations.Schema<A> =>
  HttpApiSchema.annotations<A>({ status, identifier, description })

export const ValidationFailed = Schema.Struct({
  ...fields(400, "validation_failed"),
  message: Schema.Union(Schema.String, Schema.Array(Schema.String))
}).annotations(
  named(
    400,
    "ValidationFailedError",
    "The message names every field that is wrong; it is an array when there are several"
  )
)
export const InvalidRequest = Schema.Struct(fields(400, "invalid_request")).annotations(
  named(400, "InvalidRequestError", "The request could not be read")
)
export const InvalidPurpose = Schema.Struct(fields(400, "invalid_purpose")).annotations(
  named(400, "InvalidPurposeError", "Purpose missing, unknown, not usable by this app or not covering the scope")
)
export const WebhookUrlNotRegistered = Schema.Struct(fields(400, "webhook_url_not_registered")).annotations(
  named(400, "WebhookUrlNotRegisteredError", "webhook_url does not exactly equal a registered endpoint")
)
export const InvalidGrant = Schema.Struct(fields(400, "invalid_grant")).annotations(
  named(400, "InvalidGrantError", "The code or refresh token is not valid, or no longer valid")
)
export const UnsupportedGrantType = Schema.Struct(fields(400, "unsupported_grant_type")).annotations(
  named(400, "UnsupportedGrantTypeError", "Grants are authorization_code and refresh_token")
)
export const InvalidToken = Schema.Struct(fields(401, "invalid_token")).annotations(
  named(401, "InvalidTokenError", "The token is missing, malformed, expired or revoked; the answer never says which")
)
export const InvalidClient = Schema.Struct(fields(401, "invalid_client")).annotations(
  named(401, "InvalidClientError", "Unknown client or wrong secret")
)
export const NotSignedIn = Schema.Struct(fields(401, "not_signed_in")).annotations(
  named(401, "NotSignedInError", "No session, an expired one, or wrong credentials at sign-in")
)
export const MissingScope = Schema.Struct(fields(403, "missing_scope")).annotations(
  named(403, "MissingScopeError", "The user did not grant the scope, or it was removed")
)
export const ScopeExpired = Schema.Struct({
  ...fields(403, "scope_expired"),
  sensitive_expired_at: Timestamp.FromIso,
  renewal_grace_ends_at: Timestamp.FromIso
}).annotations(named(403, "ScopeExpiredError", "The sensitive tier lapsed; the user can renew until the grace ends"))
export const ConfirmationRequired = Schema.Struct(fields(403, "confirmation_required")).annotations(
  named(403, "ConfirmationRequiredError", "The last sign-in or confirmation of this session is too long ago for this")
)
export const SecondFactorRequired = Schema.Struct(fields(403, "second_factor_required")).annotations(
  named(403, "SecondFactorRequiredError", "The password is right, and the account also needs a code")
)
export const SecondFactorMissing = Schema.Struct(fields(403, "second_factor_missing")).annotations(
  named(403, "SecondFactorMissingError", "This service requires a second factor of its staff, and the account has none")
)
export const Forbidden = Schema.Struct(fields(403, "forbidden")).annotations(
  named(403, "ForbiddenError", "The caller may not do this")
)
export const NotFound = Schema.Struct(fields(404, "not_found")).annotations(
  named(404, "NotFoundError", "Does not exist, or the caller may not see it")
)
export const MethodNotAllowed = Schema.Struct(fields(405, "method_not_allowed")).annotations(
  named(405, "MethodNotAllowedError", "The route exists for other methods; Allow lists them")
)
export const RuleLimitReached = Schema.Struct({
  ...fields(409, "rule_limit_reached"),
  instant: Timestamp.FromIso
}).annotations(
  named(
    409,
    "RuleLimitReachedError",
    "At the time in the field instant, the rule would be the eleventh of its connection; disabled rules count"
  )
)
export const Conflict = Schema.Struct(fields(409, "conflict")).annotations(
  named(409, "ConflictError", "The request conflicts with the current state")
)
export const IdempotencyKeyInUse = Schema.Struct(fields(409, "idempotency_key_in_use")).annotations(
  named(409, "IdempotencyKeyInUseError", "Another request with this Idempotency-Key is not answered yet")
)
export const PayloadTooLarge = Schema.Struct(fields(413, "payload_too_large")).annotations(
  named(
    413,
    "PayloadTooLargeError",
    "The body is larger than 1 MiB (phone uploads: 8 MiB, imports: 256 MiB for each file, 512 MiB for a form with several files), or has too many entries or values"
  )
)
export const UnsupportedMediaType = Schema.Struct(fields(415, "unsupported_media_type")).annotations(
  named(415, "UnsupportedMediaTypeError", "The route does not read this content type")
)
export const IdempotencyKeyReused = Schema.Struct(fields(422, "idempotency_key_reused")).annotations(
  named(422, "IdempotencyKeyReusedError", "The Idempotency-Key was used for another request within 24 hours")
)
export const RateLimited = Schema.Struct(fields(429, "rate_limited")).annotations(
  named(429, "RateLimitedError", "Too many requests; Retry-After says how long to wait")
)
export const BudgetExceeded = Schema.Struct(fields(429, "budget_exceeded")).annotations(
  named(429, "BudgetExceededError", "The budget for this question is used up; Retry-After says how long to wait")
)
export const InternalError = Schema.Struct(fields(500, "internal_error")).annotations(
  named(500, "InternalError", "A fault of the service. X-Request-Id finds the request in its log")
)
export const Unavailable = Schema.Struct(fields(503, "unavailable")).annotations(
  named(503, "UnavailableError", "A temporary failure; try again after Retry-After")
)
export const ConnectionOnHold = Schema.Struct(fields(503, "connection_on_hold")).annotations(
  named(503, "ConnectionOnHoldError", "The connection is on hold; its tokens stay valid, and this request spent none")
)

export const WireError = Schema.Union(
  ValidationFailed,
  InvalidRequest,
  InvalidPurpose,
  WebhookUrlNotRegistered,
  InvalidGrant,
  UnsupportedGrantType,
  InvalidToken,
  InvalidClient,
  NotSignedIn,
  MissingScope,
  ScopeExpired,
  ConfirmationRequired,
  SecondFactorRequired,
  SecondFactorMissing,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  RuleLimitReached,
  Conflict,
  IdempotencyKeyInUse,
  PayloadTooLarge,
  UnsupportedMediaType,
  IdempotencyKeyReused,
  RateLimited,
  BudgetExceeded,
  InternalError,
  Unavailable,
  ConnectionOnHold
)
export type WireError = typeof WireError.Type

export type Code = WireError["error"]
export const CODES: ReadonlyArray<Code> = WireError.members.flatMap(({ fields }) => fields.error.literals)

export const isWireError: (value: unknown) => value is WireError = Schema.is(WireError)
/** Turns an error into the JSON value that the client gets. */
export const encode = Schema.encodeSync(WireError)

/**
 * The headers that an error adds to its answer. The key is a symbol, so that the headers do not become a field of the
 * body.
 */
const HEADERS: unique symbol = Symbol.for("@place-access/adapters-http/wire/headers")

export const withHeaders = <E extends WireError>(error: E, headers: Readonly<Record<string, string>>): E => ({
  ...error,
  [HEADERS]: { ...headersOf(error), ...headers }
})

export const headersOf = (error: WireError): Readonly<Record<string, string>> =>
  (error as { readonly [HEADERS]?: Readonly<Record<string, string>> })[HEADERS] ?? {}

const retryAfter = <E extends WireError>(error: E, seconds: number): E =>
  withHeaders(error, { "retry-after": String(Math.max(1, Math.ceil(seconds))) })

/**
 * Each message names one field or the whole body, and never repeats a value. A single message is sent as a string,
 * several messages as an array (Spec §7).
 */
export const validationFailed = (messages: ReadonlyArray<string>): typeof ValidationFailed.Type => ({
  statusCode: 400,
  error: "validation_failed",
  message: messages.length === 1 && messages[0] !== undefined ? messages[0] : messages
})
export const invalidRequest = (message: string): typeof InvalidRequest.Type => ({
  statusCode: 400,
  error: "invalid_request",
  message
})
export const invalidPurpose = (message: string): typeof InvalidPurpose.Type => ({
  statusCode: 400,
  error: "invalid_purpose",
  message
})
export const webhookUrlNotRegistered: typeof WebhookUrlNotRegistered.Type = {
  statusCode: 400,
  error: "webhook_url_not_registered",
  message: "webhook_url must exactly equal the url of one of the app's registered webhook endpoints"
}
export const invalidGrant = (message: string): typeof InvalidGrant.Type => ({
  statusCode: 400,
  error: "invalid_grant",
  message
})
export const unsupportedGrantType: typeof UnsupportedGrantType.Type = {
  statusCode: 400,
  error: "unsupported_grant_type",
  message: "The grant type must be authorization_code or refresh_token"
}
/** Missing, malformed, expired and revoked tokens get the same body (Spec §7). */
export const invalidToken: typeof InvalidToken.Type = withHeaders(
  { statusCode: 401, error: "invalid_token", message: "The token is missing, malformed, expired or revoked" },
  { "www-authenticate": 'Bearer error="invalid_token"' }
)
/**
 * Sends `WWW-Authenticate: Basic` only if the client tried HTTP Basic. If every answer had this header, some clients
 * would hide the error from their developers (decision O2).
 */
export const invalidClient = (triedBasic: boolean): typeof InvalidClient.Type => {
  const error = {
    statusCode: 401,
    error: "invalid_client",
    message: "The client is unknown or its secret is wrong"
  } as const
  return triedBasic ? withHeaders(error, { "www-authenticate": 'Basic realm="place-access"' }) : error
}
export const notSignedIn = (message = "Sign in first"): typeof NotSignedIn.Type => ({
  statusCode: 401,
  error: "not_signed_in",
  message
})
/**
 * The refusal of a call that needs a scope which the connection does not have: the user has not granted the scope, or
 * it was removed, for example by an admin. The message and the header name the scope, as RFC 6750 §3 allows.
 */
export const missingScope = (scope: string): typeof MissingScope.Type =>
  withHeaders(
    { statusCode: 403, error: "missing_scope", message: `The scope ${scope} was not granted` },
    { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` }
  )
/** Any standard scope would do. So the header names none: all scopes in it would be needed (RFC 6750 §3). */
export const missingStandardScope: typeof MissingScope.Type = withHeaders(
  { statusCode: 403, error: "missing_scope", message: "No standard scope was granted; any one of them is enough" },
  { "www-authenticate": 'Bearer error="insufficient_scope"' }
)
export const scopeExpired = (
  scope: string,
  at: { readonly sensitiveExpiredAt: Timestamp.Timestamp; readonly renewalGraceEndsAt: Timestamp.Timestamp }
): typeof ScopeExpired.Type =>
  withHeaders(
    {
      statusCode: 403,
      error: "scope_expired",
      message: `The scope ${scope} has expired; ask the user to renew it`,
      sensitive_expired_at: at.sensitiveExpiredAt,
      renewal_grace_ends_at: at.renewalGraceEndsAt
    },
    { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` }
  )
export const confirmationRequired: typeof ConfirmationRequired.Type = {
  statusCode: 403,
  error: "confirmation_required",
  message: "This needs a sign-in or a confirmation of the last 15 minutes; confirm this session and repeat the request"
}
export const secondFactorRequired: typeof SecondFactorRequired.Type = {
  statusCode: 403,
  error: "second_factor_required",
  message: "The account has a second factor; send code, a code of its app or a recovery code, too"
}
export const secondFactorMissing: typeof SecondFactorMissing.Type = {
  statusCode: 403,
  error: "second_factor_missing",
  message: "This service requires a second factor of its reviewers and admins; set one up in the settings first"
}
export const forbidden = (message: string): typeof Forbidden.Type => ({
  statusCode: 403,
  error: "forbidden",
  message
})
export const notFound = (what: string): typeof NotFound.Type => ({
  statusCode: 404,
  error: "not_found",
  message: `No such ${what}`
})
export const methodNotAllowed = (allow: string): typeof MethodNotAllowed.Type =>
  withHeaders({ statusCode: 405, error: "method_not_allowed", message: `This route answers ${allow}` }, { allow })
export const ruleLimitReached = (instant: Timestamp.Timestamp): typeof RuleLimitReached.Type => ({
  statusCode: 409,
  error: "rule_limit_reached",
  message: `Ten rules of this connection count at ${Timestamp.toIso(instant)} already; disabled rules count too`,
  instant
})
export const conflict = (message: string): typeof Conflict.Type => ({ statusCode: 409, error: "conflict", message })
export const payloadTooLarge = (limitBytes: number): typeof PayloadTooLarge.Type => ({
  statusCode: 413,
  error: "payload_too_large",
  message: `The body must be at most ${limitBytes} bytes`
})
export const tooManyEntries = (limit: number): typeof PayloadTooLarge.Type => ({
  statusCode: 413,
  error: "payload_too_large",
  message: `The lists and objects of the body must have at most ${limit} entries together`
})
export const tooManyValues = (limit: number): typeof PayloadTooLarge.Type => ({
  statusCode: 413,
  error: "payload_too_large",
  message: `An entry of a list, or all that is in no list, must have at most ${limit} values`
})
export const unsupportedMediaType = (accepted: ReadonlyArray<string>): typeof UnsupportedMediaType.Type => ({
  statusCode: 415,
  error: "unsupported_media_type",
  message: `The body must be ${accepted.join(" or ")} in UTF-8, not compressed`
})
/** The `Retry-After` while an earlier request with the same `Idempotency-Key` is still running, in seconds. */
const IN_USE_RETRY_S = 1
export const idempotencyKeyInUse: typeof IdempotencyKeyInUse.Type = retryAfter(
  {
    statusCode: 409,
    error: "idempotency_key_in_use",
    message: "Another request with this Idempotency-Key is not answered yet; repeat this one soon"
  },
  IN_USE_RETRY_S
)
export const idempotencyKeyReused: typeof IdempotencyKeyReused.Type = {
  statusCode: 422,
  error: "idempotency_key_reused",
  message: "This Idempotency-Key was used for a request with another address or body; give each request its own"
}
export const rateLimited = (waitSeconds: number, message = TOO_MANY): typeof RateLimited.Type =>
  retryAfter({ statusCode: 429, error: "rate_limited", message }, waitSeconds)
export const TOO_MANY = "Too many requests; wait and try again"
export const budgetExceeded = (waitSeconds: number): typeof BudgetExceeded.Type =>
  retryAfter(
    { statusCode: 429, error: "budget_exceeded", message: "The budget of this question is used up for now" },
    waitSeconds
  )
export const internalError: typeof InternalError.Type = {
  statusCode: 500,
  error: "internal_error",
  message: "Something went wrong on our side"
}
/** The `Retry-After` after a temporary failure of the service, in seconds. */
const UNAVAILABLE_RETRY_S = 5
export const unavailable: typeof Unavailable.Type = retryAfter(
  { statusCode: 503, error: "unavailable", message: "The service is not available right now; try again soon" },
  UNAVAILABLE_RETRY_S
)
/**
 * The `Retry-After` when the service is too busy for a request, in seconds. The time is short, because overload often
 * passes soon.
 */
const BUSY_RETRY_S = 1
export const busy: typeof Unavailable.Type = retryAfter(
  { statusCode: 503, error: "unavailable", message: "The service is busy right now; try again soon" },
  BUSY_RETRY_S
)
/** The `Retry-After` of `connection_on_hold`, in seconds. */
const ON_HOLD_RETRY_S = 3_600
/**
 * The answer for a suspended connection (`WithApp.isSuspended`), usually because the account of the user or of the
 * app's holder is suspended (decision staff-1): the app keeps its tokens, which work again afterwards. The error has
 * a code of its own, because after `unavailable` an app must assume that its refresh token may be spent.
 */
export const connectionOnHold: typeof ConnectionOnHold.Type = retryAfter(
  { statusCode: 503, error: "connection_on_hold", message: "This connection is on hold; its tokens stay valid" },
  ON_HOLD_RETRY_S
)
/** The `Retry-After` for a phone with a wrong token, in seconds. The owner needs time to set the phone up again. */
const SET_UP_AGAIN_RETRY_S = 60
/**
 * A refusal for phone apps that delete their readings after a 4xx answer. After a 503 the phone app keeps its readings
 * and shows the status to the phone's owner.
 */
export const keptByThePhone = (
  error: typeof InvalidToken.Type | typeof RateLimited.Type | typeof Unavailable.Type
): typeof Unavailable.Type => {
  switch (error.error) {
    case "unavailable":
      return error
    case "rate_limited":
      return withHeaders(
        { statusCode: 503, error: "unavailable", message: "Too many uploads at once; the phone keeps what it has" },
        headersOf(error)
      )
    case "invalid_token":
      return retryAfter(
        {
          statusCode: 503,
          error: "unavailable",
          message: "The password is not the token of a phone that is set up here; the phone keeps what it has"
        },
        SET_UP_AGAIN_RETRY_S
      )
  }
}
