import { Cause, Option } from "effect"
import { StoreError } from "../../../../src/shared/Errors.js"

/** How the service refuses a request (Spec §7, decisions §5). */
export interface Refusal {
  readonly status: number
  readonly error: string
  readonly body: Readonly<Record<string, unknown>>
}

const CODES: Readonly<Record<string, readonly [status: number, error: string]>> = {
  AuthorizePage: [400, "invalid_request"],
  BudgetExceeded: [429, "budget_exceeded"],
  Conflict: [409, "conflict"],
  Forbidden: [403, "forbidden"],
  Invalid: [400, "validation_failed"],
  InvalidClient: [401, "invalid_client"],
  InvalidDeviceToken: [401, "invalid_token"],
  InvalidGrant: [400, "invalid_grant"],
  InvalidToken: [401, "invalid_token"],
  MissingScope: [403, "missing_scope"],
  NotFound: [404, "not_found"],
  PurposeRefused: [400, "invalid_purpose"],
  RateLimited: [429, "rate_limited"],
  RuleLimitReached: [409, "rule_limit_reached"],
  ScopeExpired: [403, "scope_expired"],
  WebhookUrlNotRegistered: [400, "webhook_url_not_registered"]
}

/** The fields of a domain error that the refusal contains, each with its field name in the HTTP API. */
const CARRIED: Readonly<Record<string, string>> = {
  scope: "scope",
  sensitiveExpiredAt: "sensitive_expired_at",
  renewalGraceEndsAt: "renewal_grace_ends_at",
  instant: "instant",
  reason: "reason",
  what: "what",
  problems: "problems"
}
const OF_CALLS = new Set(["scope", "sensitiveExpiredAt", "renewalGraceEndsAt", "instant"])

const tagOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string" ? error._tag : "?"

const carried = (error: unknown, wanted: (name: string) => boolean): Readonly<Record<string, unknown>> =>
  typeof error !== "object" || error === null
    ? {}
    : Object.fromEntries(
        Object.entries(CARRIED)
          .filter(([name]) => wanted(name) && name in error)
          .map(([name, wire]) => [
            wire,
            JSON.parse(JSON.stringify((error as Record<string, unknown>)[name] ?? null)) as unknown
          ])
      )

export const isUnavailable = (error: unknown): boolean => error instanceof StoreError && error.transient

/**
 * The refusal of an app's call. If a bug of the service caused the refusal, the code is `internal_error`, and `defect`
 * is the message of the error.
 */
export const ofCall = (cause: Cause.Cause<unknown>): Refusal => {
  const error = Option.getOrUndefined(Cause.failureOption(cause))
  const [status, code] = CODES[tagOf(error)] ?? [500, "internal_error"]
  if (isUnavailable(error)) return { status: 503, error: "unavailable", body: {} }
  return status === 500
    ? { status, error: code, body: { defect: defect(cause) } }
    : { status, error: code, body: carried(error, (name) => OF_CALLS.has(name)) }
}

/**
 * The refusal of an operation other than an app's call. `error` is the error code of the HTTP API, or the tag of the
 * domain's error when the error has no code.
 */
export const ofOperation = (cause: Cause.Cause<unknown>): { readonly error: string; readonly detail: unknown } => {
  const error = Option.getOrUndefined(Cause.failureOption(cause))
  const tag = tagOf(error)
  if (tag === "StoreError" || tag === "VaultError" || tag === "?") {
    return { error: "internal_error", detail: { defect: defect(cause) } }
  }
  if (tag === "AuthorizeRedirect") return { error: (error as { readonly error: string }).error, detail: {} }
  return { error: CODES[tag]?.[1] ?? tag, detail: carried(error, () => true) }
}

/**
 * The message of an unexpected error (a bug), without the stack trace. The stack trace names files of this machine, but
 * the trace of a run must be the same on every machine.
 */
const defect = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error)
}
