import type { StoreError } from "@place-access/domain/shared"
import { Clock, Effect, Predicate } from "effect"

/**
 * Logs why requests get 503 (decision errors-3). While a database does not work, nearly every request fails for the
 * same reason, and one line for each request would fill the disk of the log. So a reason gets at most one line in
 * `PAUSE_MILLIS`. The line counts the requests that had the same reason since the last line.
 */

const PAUSE_MILLIS = 10_000
/**
 * The most reasons that are kept in memory. A database may put varying texts into its messages, and each of these texts
 * would be a reason of its own.
 */
const REASONS_MAX = 100

interface Reason {
  /** The SQLSTATE, or the code of the operating system. Undefined for errors that have no code. */
  readonly code: string | undefined
  readonly message: string
}

/** For each reason: when the last line was logged, and how many requests had the reason since then. */
const logged = new Map<string, { at: number; more: number }>()

/** Logs that a request met a store that is unavailable for a moment. */
export const logStore = (error: StoreError): Effect.Effect<void> => log(reasonOf(error.cause))

/** Logs that admission control refused a request. */
export const logBusy: Effect.Effect<void> = Effect.suspend(() => log(BUSY))

const BUSY: Reason = {
  code: "busy",
  message: "the server works on as many requests as it may, and none ended in time"
}

const log = ({ code, message }: Reason): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const key = code ?? message
    const last = logged.get(key)
    // A clock that was set back must not silence the log until the clock shows the old time again.
    if (last !== undefined && now >= last.at && now < last.at + PAUSE_MILLIS) {
      last.more++
      return Effect.void
    }
    if (logged.size >= REASONS_MAX) logged.clear()
    logged.set(key, { at: now, more: 0 })
    const more = last?.more ?? 0
    return Effect.annotateLogs(Effect.logWarning(`A request gets 503: ${message}`), {
      ...(code !== undefined && { reason: code }),
      ...(more > 0 && { more })
    })
  })

/**
 * Follows the causes of the error, from the outside to the inside, to the first error that has a code. Returns the code
 * and message of that error; without such an error, the message of the innermost cause. The outer errors, of the store
 * and of the SQL client, only say that something failed.
 */
const reasonOf = (error: unknown): Reason => {
  let message = typeof error === "string" ? error : "the store is unavailable"
  let inner = error
  for (let depth = 0; depth < 5 && Predicate.isObject(inner); depth++) {
    if (inner instanceof Error && inner.message !== "") message = inner.message
    if (Predicate.hasProperty(inner, "code") && typeof inner.code === "string") {
      // When a name has several addresses and all refuse the connection, Node's error has a code and an empty message.
      // Then the code is logged.
      const hasMessage = inner instanceof Error && inner.message !== ""
      return { code: inner.code, message: hasMessage ? message : inner.code }
    }
    inner = Predicate.hasProperty(inner, "cause") ? inner.cause : undefined
  }
  return { code: undefined, message }
}
