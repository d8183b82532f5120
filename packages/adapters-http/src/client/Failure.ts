/** The error codes of the service that an app can get. `ClientFailureCode` has the codes that the client adds. */
export type ServiceFailureCode =
  | "validation_failed"
  | "invalid_request"
  | "invalid_purpose"
  | "webhook_url_not_registered"
  | "invalid_grant"
  | "unsupported_grant_type"
  | "invalid_token"
  | "invalid_client"
  | "missing_scope"
  | "scope_expired"
  | "not_found"
  | "method_not_allowed"
  | "rule_limit_reached"
  | "conflict"
  | "idempotency_key_in_use"
  | "idempotency_key_reused"
  | "payload_too_large"
  | "unsupported_media_type"
  | "rate_limited"
  | "budget_exceeded"
  | "internal_error"
  | "unavailable"
  | "connection_on_hold"

export type ClientFailureCode =
  /** there was no answer: the service could not be reached, or the connection broke */
  | "network"
  /** the service did not answer in time */
  | "timeout"
  /**
   * the answer does not have the form of an answer of this service: perhaps a proxy or another server answers at the
   * address
   */
  | "unexpected_answer"
  /** the store has no tokens: the user must connect first */
  | "not_connected"
  /**
   * a refresh was sent, and the service may have spent the refresh token, for example because the answer was lost or
   * the process crashed. The time in which the client can safely repeat the refresh is over, or the clock was set back.
   * See `session.refresh`.
   */
  | "refresh_uncertain"
  /** the user, or the service, refused at the consent page */
  | "access_denied"
  /**
   * the address to which the user came back belongs to another sign-in or another service, or has no code: do not
   * exchange a code from this address
   */
  | "callback_mismatch"

export type FailureCode = ServiceFailureCode | ClientFailureCode

export interface FailureDetails {
  readonly code: FailureCode
  readonly message: string
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly retryAfterS?: number | undefined
  readonly body?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
}

/**
 * A call of the client that fails throws this error. There are three exceptions:
 * - An aborted call throws the reason of its signal.
 * - When the token store fails, the call throws the error of the store.
 * - When the app passes a malformed address, the call throws a `TypeError` that says which address is malformed.
 */
export class PlaceAccessError extends Error {
  override readonly name = "PlaceAccessError"
  readonly code: FailureCode
  /** The HTTP status of the answer; undefined when there was no answer. */
  readonly status: number | undefined
  /** `X-Request-Id` of the answer, with which the operator finds the request in the log. */
  readonly requestId: string | undefined
  /** How many seconds the service asks the app to wait before it tries again. */
  readonly retryAfterS: number | undefined
  /** The body of the answer. Some errors have further fields in it, such as `instant` or `renewal_grace_ends_at`. */
  readonly body: Readonly<Record<string, unknown>>

  constructor({ body = {}, cause, code, message, requestId, retryAfterS, status }: FailureDetails) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfterS = retryAfterS
    this.body = body
  }

  /**
   * The faults of the request, each with its field. Empty unless the code is `validation_failed`. The field is empty
   * for a fault of the whole body. When the service leaves faults out, the last entry says how many, and its field is
   * empty too.
   */
  get problems(): ReadonlyArray<{ readonly field: string; readonly message: string }> {
    if (this.code !== "validation_failed") return []
    const texts = [this.body["message"]].flat().filter((one) => typeof one === "string")
    return texts.map((text) => {
      if (/^and \d+ more$/.test(text)) return { field: "", message: text }
      const [field = "", ...rest] = text.startsWith("the body ") ? ["", text.slice(9)] : text.split(" ")
      return { field, message: rest.join(" ") }
    })
  }

  /** The first field that is wrong; undefined when the error names no field. */
  get field(): string | undefined {
    return this.problems.map(({ field }) => field).find((field) => field !== "")
  }
}

/** Whether the error is a `PlaceAccessError` and, when `code` is given, has this code. */
export const isPlaceAccessError = (error: unknown, code?: FailureCode): error is PlaceAccessError =>
  error instanceof PlaceAccessError && (code === undefined || error.code === code)
