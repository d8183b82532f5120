/**
 * Decides whether and when a request is sent again. The functions get the time and the random number as arguments, so
 * that tests need no clock.
 *
 * The service answers 429 and 503 with `Retry-After`, and the client waits exactly that long. The client gives up
 * immediately when the wait would be longer than `longestWaitMs`. The error then says how long the wait is
 * (`retryAfterS`).
 */

/** How an attempt failed: the service refused the request, or did not answer. */
export type AttemptEnd =
  | {
      readonly _tag: "Refused"
      readonly status: number
      readonly code: string | undefined
      readonly retryAfterS: number | undefined
    }
  /** There was no answer. The request may nevertheless have taken effect. */
  | { readonly _tag: "Silent" }

export interface RetryPolicy {
  /** How many retries may follow the first attempt. */
  readonly retries: number
  readonly longestWaitMs: number
}

const FIRST_WAIT_MS = 500
const LONGEST_BACK_OFF_MS = 8_000

/**
 * Whether the refusal is temporary, so that a retry may succeed. The refused request may have taken effect all the
 * same: the service may answer 503 after it has committed. So callers retry only requests that may be repeated.
 */
const isTemporary = ({ code, status }: AttemptEnd & { readonly _tag: "Refused" }): boolean =>
  [429, 502, 503, 504].includes(status) || code === "idempotency_key_in_use"

/**
 * How many milliseconds to wait before the next attempt; undefined when the client must give up. `attempts`: how many
 * attempts were made. `random`: a number from 0 to 1, which spreads the retries of clients that failed at the same
 * time.
 */
export const waitAfter = (
  end: AttemptEnd,
  attempts: number,
  { longestWaitMs, retries }: RetryPolicy,
  random: number
): number | undefined => {
  if (attempts > retries) return undefined
  if (end._tag === "Silent") return backOff(attempts, random)
  if (!isTemporary(end)) return undefined
  const waitMs = end.retryAfterS === undefined ? backOff(attempts, random) : end.retryAfterS * 1_000
  return waitMs > longestWaitMs ? undefined : waitMs
}

const backOff = (attempts: number, random: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_BACK_OFF_MS) * (0.5 + random / 2)

/** Seconds to wait, from a header with seconds or a date (RFC 9110 §10.2.3); undefined for any other header. */
export const retryAfterS = (header: string | null, nowMs: number): number | undefined => {
  if (header === null || header.trim() === "") return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1_000))
}
