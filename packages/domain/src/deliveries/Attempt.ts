import type { WebhookAnswer } from "../endpoints/WebhookSender.js"
import { SECOND, type Timestamp } from "../shared/Timestamp.js"
import type { AttemptExchange } from "./AttemptExchange.js"

/** One attempt, in the form in which the developer's delivery log shows it. */
export interface Attempt {
  readonly attempt: number
  readonly startedAt: Timestamp
  readonly endedAt: Timestamp
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null
  /** Why the attempt failed; null on success. */
  readonly error: string | null
  /** The first 1 KiB of the answer's body; null when there was no answer. */
  readonly snippet: string | null
  /**
   * The address and the headers of the attempt. Left out in lists, and for attempts from before the service stored
   * these data.
   */
  readonly exchange?: AttemptExchange
}

/** The deadline of the whole attempt: name look-up, connecting, sending and reading the answer (Spec §6.4.5). */
export const ANSWER_DEADLINE = 5 * SECOND

/**
 * Whether the attempt succeeded. Any status except a 2xx is a failure, and so is an attempt that got no answer, or
 * whose answer had not ended at `ANSWER_DEADLINE` (Spec §6.4.5).
 */
export const isSuccess = (answer: WebhookAnswer): boolean =>
  answer._tag === "Answered" && answer.status >= 200 && answer.status < 300

/**
 * The attempt's row in the log; null when a fault of the service prevented the attempt (`NotSent`). `endedAt` is never
 * before `startedAt`, even when the clock was set back during the attempt.
 */
export const attemptOf = (
  attempt: number,
  answer: WebhookAnswer,
  startedAt: Timestamp,
  stoppedAt: Timestamp,
  exchange?: AttemptExchange
): Attempt | null => {
  const sent = exchange === undefined ? {} : { exchange }
  const endedAt = stoppedAt < startedAt ? startedAt : stoppedAt
  switch (answer._tag) {
    case "NotSent":
      return null
    case "Unreachable":
      return { attempt, startedAt, endedAt, status: null, error: answer.detail, snippet: null, ...sent }
    case "Answered":
      return {
        attempt,
        startedAt,
        endedAt,
        status: answer.status,
        error: isSuccess(answer) ? null : `answered ${answer.status}`,
        snippet: answer.snippet,
        ...sent
      }
  }
}

interface LoggedEnd {
  readonly delivery: { readonly failReason: string | null; readonly isTest: boolean; readonly replayNo: number }
  readonly lastAttempt: Attempt | null
}

/**
 * Whether the log must hide the kind and the time of the delivery's event, if the event is a firing (decision
 * deliveries-13). This is so when the delivery failed without an attempt, and for a replay without an attempt. The
 * service checks the app's permission before an attempt, so in both cases the app had no permission for the event, or
 * perhaps nobody has checked the permission yet. A test is never hidden, and neither is a first delivery that ended as
 * too old: the permission was checked before the age.
 */
export const isWithheld = ({ delivery: { failReason, isTest, replayNo }, lastAttempt }: LoggedEnd): boolean =>
  lastAttempt === null && !isTest && (failReason !== null || replayNo > 0)
