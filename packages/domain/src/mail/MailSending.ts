import { DAY, HOUR, MINUTE, plus, SECOND, type Timestamp } from "../shared/Timestamp.js"

/** What became of handing a message over. */
export type Outcome =
  | { readonly _tag: "Sent" }
  /** This message will never be taken: no such mailbox, contents not wanted. */
  | { readonly _tag: "Refused"; readonly reason: string }
  /** Nobody took it this time: no connection, no sign-in, try again later. */
  | { readonly _tag: "NotSent"; readonly reason: string }

/** How a claimed message goes on. */
export type Finish =
  | { readonly _tag: "Sent"; readonly at: Timestamp }
  | { readonly _tag: "Retry"; readonly dueAt: Timestamp; readonly reason: string }
  | { readonly _tag: "GivenUp"; readonly at: Timestamp; readonly reason: string }

/** After each failed attempt, from its end. Eight attempts in all, over almost two days. */
const WAITS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY]

/** For everything: name look-up, connecting, signing in and handing over. */
export const DEADLINE = 60 * SECOND

/** A message that nobody could send for so long is no news any more. */
export const MAX_AGE = 7 * DAY

/** Longer than that nobody wants to read. */
const REASON_MAX = 500

/** Why it is not even tried; undefined: try. */
export const hopeless = (createdAt: Timestamp, attempt: number, now: Timestamp): string | undefined =>
  now - createdAt > MAX_AGE
    ? "older than 7 days"
    : attempt > WAITS.length + 1
      ? "the process that sent it ended each time"
      : undefined

/** Sent, tried again later, or given up. */
export const afterAttempt = (attempt: number, outcome: Outcome, endedAt: Timestamp): Finish => {
  if (outcome._tag === "Sent") return { _tag: "Sent", at: endedAt }
  const reason = outcome.reason.slice(0, REASON_MAX)
  const wait = outcome._tag === "Refused" ? undefined : WAITS[attempt - 1]
  return wait === undefined
    ? { _tag: "GivenUp", at: endedAt, reason }
    : { _tag: "Retry", dueAt: plus(endedAt, wait), reason }
}
