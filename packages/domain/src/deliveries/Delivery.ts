import { Option } from "effect"
import * as Authorisation from "../events/Authorisation.js"
import type { Envelope } from "../events/Event.js"
import type { AppId, DeliveryId, EndpointId, UserId } from "../shared/Ids.js"
import { DAY, plus, SECOND, type Timestamp } from "../shared/Timestamp.js"
import * as RetrySchedule from "./RetrySchedule.js"

export type State = "trying" | "delivered" | "failed" | "too_old"

/** Why a row ended as failed. Only `exhausted` counts against the endpoint (decision W3). */
export type FailReason =
  | "exhausted"
  | "endpoint_disabled"
  | "endpoint_removed"
  | "not_authorised"
  | "not_sent"
  /** No worker came to an end with it, however often it was taken up. */
  | "abandoned"

/** One event on its way to one endpoint (Spec §2.9, §3.5). */
export interface Delivery {
  readonly appId: AppId
  readonly id: DeliveryId
  readonly endpointId: EndpointId
  readonly envelope: Envelope
  /** Null for a ping. */
  readonly userId: UserId | null
  readonly maxEventAgeS: number | null
  readonly state: State
  readonly failReason: FailReason | null
  /** 1-based: the attempt that is due or under way while trying; afterwards the one it ended at, which perhaps was never made. */
  readonly attempt: number
  /** Null once ended. */
  readonly dueAt: Timestamp | null
  readonly createdAt: Timestamp
  readonly endedAt: Timestamp | null
  /** 0 for the first sending; 1, 2 … for replays of the same event to the same endpoint. */
  readonly replayNo: number
  readonly isTest: boolean
  /** The attempt that is due was brought forward by hand: whatever becomes of it counts for nothing (Spec §3.4). */
  readonly isHurried: boolean
  /** When the first row of the event at the endpoint was made: its own creation, unless it is a replay. */
  readonly originalAt: Timestamp
}

/** What the receiver did with one attempt. */
export type Answer =
  | { readonly _tag: "Answered"; readonly status: number; readonly snippet: string }
  /** Refused, reset, timed out, TLS, an address that is not allowed: the receiver's fault. */
  | { readonly _tag: "Unreachable"; readonly detail: string }
  /** Our own resolver, a shutdown: spends no attempt (decision W3). */
  | { readonly _tag: "NotSent"; readonly detail: string }

/** One attempt, as the log shows it. */
export interface Attempt {
  readonly attempt: number
  readonly startedAt: Timestamp
  readonly endedAt: Timestamp
  /** Null when there was no answer. */
  readonly status: number | null
  /** Null on success. */
  readonly error: string | null
  /** The first 1 KiB of the answer. */
  readonly snippet: string | null
}

/** A row of the log with what the receiver last did; null before the first attempt (Spec §2.9). */
export interface Logged {
  readonly delivery: Delivery
  /** It was sent again: a later row of the same event and endpoint says what became of that. */
  readonly isReplayed: boolean
  readonly lastAttempt: Attempt | null
}

/** How a claimed delivery goes on; written under the lease's fence. */
export type Finish =
  | { readonly _tag: "Delivered"; readonly at: Timestamp }
  | { readonly _tag: "Retry"; readonly attempt: number; readonly dueAt: Timestamp }
  | { readonly _tag: "Failed"; readonly at: Timestamp; readonly reason: FailReason }
  | { readonly _tag: "TooOld"; readonly at: Timestamp }
  /** Nothing was spent: the same attempt again at `dueAt`. */
  | { readonly _tag: "Postponed"; readonly dueAt: Timestamp }

/** Spec §6.4.5: anything but a 2xx within the deadline is a failure. */
export const isSuccess = (answer: Answer): boolean =>
  answer._tag === "Answered" && answer.status >= 200 && answer.status < 300

/** For everything: name look-up, connecting, sending and reading the answer (Spec §6.4.5). */
export const ANSWER_DEADLINE = 5 * SECOND
/** How long the same attempt waits after a fault of our own. */
export const OWN_FAULT_WAIT = 5 * SECOND
/** Faults of our own for longer than this end a delivery, uncounted: its event is no news any more. */
export const OWN_FAULT_LIMIT = 3 * DAY
/** A worker that does not finish in this time is taken for dead; the same attempt number runs again (decision W2). */
export const LEASE = 30 * SECOND

/** So many leases in a row may run out on an attempt. What ends a worker every time must not do so for ever. */
export const MAX_LAPSES = RetrySchedule.WAITS.length + 3

/**
 * When an attempt that is taken up after `lapses` leases in a row ran out on it is due once more, should this lease run out too.
 * Twice at once (decision W2); then we wait for ourselves as we wait for receivers. Undefined: it is not taken up any more.
 */
export const dueAfterLapse = (dueAt: Timestamp, lapses: number, leaseUntil: Timestamp): Timestamp | undefined => {
  if (lapses >= MAX_LAPSES) return undefined
  const wait = RetrySchedule.WAITS[lapses - 2]
  return wait === undefined ? dueAt : plus(leaseUntil, wait)
}

/** Spec §3.5: what becomes of a delivery after the attempt that ended at `endedAt`. */
export const afterAttempt = (
  { attempt, createdAt }: Pick<Delivery, "attempt" | "createdAt">,
  answer: Answer,
  endedAt: Timestamp
): Finish => {
  if (answer._tag === "NotSent") {
    return endedAt - createdAt > OWN_FAULT_LIMIT
      ? { _tag: "Failed", at: endedAt, reason: "not_sent" }
      : { _tag: "Postponed", dueAt: plus(endedAt, OWN_FAULT_WAIT) }
  }
  if (isSuccess(answer)) return { _tag: "Delivered", at: endedAt }
  const dueAt = RetrySchedule.nextDue(attempt, endedAt)
  return dueAt === undefined
    ? { _tag: "Failed", at: endedAt, reason: "exhausted" }
    : { _tag: "Retry", attempt: attempt + 1, dueAt }
}

/** The row after `finish`: the only moves there are (Spec §3.5). */
export const move = (delivery: Delivery, finish: Finish): Delivery => {
  switch (finish._tag) {
    case "Delivered":
      return { ...delivery, state: "delivered", dueAt: null, endedAt: finish.at }
    case "Retry":
      return { ...delivery, attempt: finish.attempt, dueAt: finish.dueAt, isHurried: false }
    case "Failed":
      return { ...delivery, state: "failed", failReason: finish.reason, dueAt: null, endedAt: finish.at }
    case "TooOld":
      return { ...delivery, state: "too_old", dueAt: null, endedAt: finish.at }
    case "Postponed":
      return { ...delivery, dueAt: finish.dueAt }
  }
}

/** What an end does to the endpoint's strikes (Spec §6.4.7): only first sendings that ran their whole course count. */
export const effectOnEndpoint = (
  delivery: Pick<Delivery, "replayNo" | "isTest" | "isHurried">,
  finish: Finish
): "strike" | "clear" | "none" => {
  if (delivery.replayNo > 0 || delivery.isTest || delivery.isHurried) return "none"
  if (finish._tag === "Delivered") return "clear"
  return finish._tag === "Failed" && finish.reason === "exhausted" ? "strike" : "none"
}

/** The log's row for an attempt; null when nothing was sent. A clock that was set back meanwhile makes no time negative. */
export const attemptOf = (
  attempt: number,
  answer: Answer,
  startedAt: Timestamp,
  stoppedAt: Timestamp
): Attempt | null => {
  const endedAt = stoppedAt < startedAt ? startedAt : stoppedAt
  switch (answer._tag) {
    case "NotSent":
      return null
    case "Unreachable":
      return { attempt, startedAt, endedAt, status: null, error: answer.detail, snippet: null }
    case "Answered":
      return {
        attempt,
        startedAt,
        endedAt,
        status: answer.status,
        error: isSuccess(answer) ? null : `answered ${answer.status}`,
        snippet: answer.snippet
      }
  }
}

/** Spec §4.6.8: older than the rule allows, retries included (decision T3). */
export const isTooOld = (
  event: { readonly occurredAt: Timestamp; readonly maxEventAgeS: number | null },
  now: Timestamp
): boolean => event.maxEventAgeS !== null && now - event.occurredAt > event.maxEventAgeS * SECOND

/** What is decided before anything is sent, from the state of now. */
export type Verdict = "send" | "not_authorised" | "too_old"

/** Whether it may be sent now: the app, the connection and the scope must still allow it, and it must not be too old (Spec §6.3.5). */
export const verdict = (
  delivery: Pick<Delivery, "appId" | "envelope" | "maxEventAgeS">,
  authorisation: Option.Option<Authorisation.Authorisation>,
  now: Timestamp
): Verdict => {
  const { envelope, maxEventAgeS } = delivery
  // A ping tells of nobody, so nobody needs to have allowed it.
  if (envelope.payload.type === "ping") return "send"
  const permitted = Option.exists(authorisation, (found) => Authorisation.permits(found, envelope, now))
  if (!permitted) return "not_authorised"
  return isTooOld({ occurredAt: envelope.occurredAt, maxEventAgeS }, now) ? "too_old" : "send"
}

/** A new row for `endpointId`, due at once. */
export interface NewDelivery {
  readonly appId: AppId
  readonly id: DeliveryId
  readonly endpointId: EndpointId
  readonly endpointEpoch: number
  readonly envelope: Envelope
  readonly userId: UserId | null
  readonly maxEventAgeS: number | null
  readonly replayNo: number
  /** A test, or a replay of one. */
  readonly isTest: boolean
  readonly createdAt: Timestamp
  readonly originalAt: Timestamp
}

/** The row as it is stored first. */
export const begin = (row: NewDelivery): Delivery => ({
  appId: row.appId,
  id: row.id,
  endpointId: row.endpointId,
  envelope: row.envelope,
  userId: row.userId,
  maxEventAgeS: row.maxEventAgeS,
  state: "trying",
  failReason: null,
  attempt: 1,
  dueAt: row.createdAt,
  createdAt: row.createdAt,
  endedAt: null,
  replayNo: row.replayNo,
  isTest: row.isTest,
  isHurried: false,
  originalAt: row.originalAt
})
