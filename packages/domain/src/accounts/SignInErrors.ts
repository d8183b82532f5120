import { Schema } from "effect"

/** Wrong password or unknown e-mail; never told apart (decision A2). Wire: 401 `not_signed_in`. */
export class WrongCredentials extends Schema.TaggedError<WrongCredentials>()("WrongCredentials", {}) {}

/** The throttle's door is closed (decision A2). Wire: 429 `rate_limited` with `Retry-After`. */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  retryAfterMillis: Schema.Positive
}) {}
