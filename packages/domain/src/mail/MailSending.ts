// Attempts to send a message. Decisions mail-3 and mail-4.
import { DAY, HOUR, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"

/** The result of one attempt to hand a message to the mail server. */
export type MailOutcome =
  | { readonly _tag: "Sent" }
  /** No later attempt can succeed, for example because the mailbox does not exist, or the account was deleted. */
  | { readonly _tag: "Refused"; readonly reason: string }
  /** The server did not accept the message this time, for example because it answered "try again later". */
  | { readonly _tag: "NotSent"; readonly reason: string }

/** The state of a message after an attempt: sent, tried again at `dueAt`, or given up. */
export type MailFinish =
  | { readonly _tag: "Sent"; readonly at: Timestamp }
  | { readonly _tag: "Retry"; readonly dueAt: Timestamp; readonly reason: string }
  | { readonly _tag: "GivenUp"; readonly at: Timestamp; readonly reason: string }

/**
 * The waits, in milliseconds, from the end of a failed attempt to the next attempt. There are eight attempts over
 * almost two days.
 */
const WAITS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY]

/**
 * The longest attempt, in milliseconds: name look-up, connecting, signing in and sending together. A mail server may
 * take ten minutes to answer after it has the whole message (RFC 5321, section 4.5.3.2.6). A client that gives up
 * sooner would send the message again, although the server may have accepted it the first time.
 */
export const DEADLINE = 11 * MINUTE

/**
 * How many messages a worker sends at the same time. A `Mailer` must have this number of connections. With fewer
 * connections, a message would wait for a free connection while the time until its deadline passes.
 */
export const AT_ONCE = 4

/**
 * When a message is due again if the attempt that begins at `beganAt` never gets a result: at the attempt's deadline,
 * plus the wait that would follow if the attempt failed. So a message that crashes every process is tried less and less
 * often.
 */
export const unlessEnded = (attempt: number, beganAt: Timestamp): Timestamp =>
  plus(beganAt, DEADLINE + (WAITS[attempt - 1] ?? DAY))

/** The age, in milliseconds, after which a message is given up, because its news is out of date. */
export const MAX_AGE = 7 * DAY

const REASON_MAX = 500

/** Why the message is given up without a further attempt; undefined when the attempt may be made. */
export const hopeless = (createdAt: Timestamp, attempt: number, now: Timestamp): string | undefined =>
  now - createdAt > MAX_AGE
    ? "older than 7 days"
    : attempt > WAITS.length + 1
      ? "the process that sent it ended each time"
      : undefined

/** The result of an attempt: sent, retried later, or given up. */
export const afterAttempt = (attempt: number, outcome: MailOutcome, endedAt: Timestamp): MailFinish => {
  if (outcome._tag === "Sent") return { _tag: "Sent", at: endedAt }
  const reason = outcome.reason.slice(0, REASON_MAX)
  const wait = outcome._tag === "Refused" ? undefined : WAITS[attempt - 1]
  return wait === undefined
    ? { _tag: "GivenUp", at: endedAt, reason }
    : { _tag: "Retry", dueAt: plus(endedAt, wait), reason }
}
