import { Option, Order, Schema } from "effect"
import type { AttemptExchange } from "./AttemptExchange.js"
import * as Authorisation from "./Authorisation.js"
import type { WebhookAnswer } from "../endpoints/WebhookSender.js"
import type { Envelope } from "../events/Event.js"
import type { AppId, DeliveryId, EndpointId, UserId } from "../shared/Ids.js"
import { DAY, HOUR, plus, SECOND, type Timestamp } from "../shared/Timestamp.js"
import * as RetrySchedule from "./RetrySchedule.js"

export const DeliveryState = Schema.Literal("trying", "delivered", "failed", "too_old")
export type DeliveryState = typeof DeliveryState.Type

/**
 * Why a delivery failed. `exhausted`: the last attempt failed. `not_sent`: faults of our own delayed an attempt for
 * longer than `OWN_FAULT_LIMIT`, or prevented a test. `abandoned`: too many leases in a row ran out on the same attempt
 * (`MAX_LAPSES`). `address_changed`: the event's rule names an address, and the endpoint has another one now.
 */
export const FailReason = Schema.Literal(
  "exhausted",
  "endpoint_disabled",
  "endpoint_removed",
  "not_authorised",
  "not_sent",
  "abandoned",
  "address_changed"
)
export type FailReason = typeof FailReason.Type

/** The failures that count as a strike against the endpoint: those that are the receiver's fault (decision W3). */
const IS_STRIKE: Readonly<Record<FailReason, boolean>> = {
  exhausted: true,
  endpoint_disabled: false,
  endpoint_removed: false,
  not_authorised: false,
  not_sent: false,
  abandoned: false,
  address_changed: false
}

/**
 * One event on its way to one endpoint (Spec §2.9, §3.5). A worker claims the row under a lease, makes one attempt, and
 * stores the result with `move`. `packages/domain/docs/state-machines.md` draws the states.
 */
export interface Delivery {
  readonly appId: AppId
  readonly id: DeliveryId
  readonly endpointId: EndpointId
  readonly envelope: Envelope
  /** Null for a test, which is about nobody. */
  readonly userId: UserId | null
  readonly maxEventAgeS: number | null
  readonly state: DeliveryState
  readonly failReason: FailReason | null
  /**
   * The number, from 1, of the attempt that is due or in flight. After the end: the number of the last attempt, which
   * may not have been made.
   */
  readonly attempt: number
  /** When the next attempt is due; null after the end. */
  readonly dueAt: Timestamp | null
  readonly createdAt: Timestamp
  readonly endedAt: Timestamp | null
  /** 0 for the first delivery; 1, 2 … for replays of the event to the same endpoint. */
  readonly replayNo: number
  readonly isTest: boolean
  /** True when the developer asked for this attempt before it was due. Then its result is no strike (Spec §3.4). */
  readonly isHurried: boolean
  /** Since when faults of our own have delayed the attempt with the number `attempt`; null when no fault has. */
  readonly faultsSince: Timestamp | null
  /** When the first delivery of this event to this endpoint was made. For a replay this is earlier than `createdAt`. */
  readonly originalAt: Timestamp
}

/** One attempt, as the log shows it. */
export interface Attempt {
  readonly attempt: number
  readonly startedAt: Timestamp
  readonly endedAt: Timestamp
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null
  /** Why the attempt failed; null on success. */
  readonly error: string | null
  /** The first 1 KiB of the answer; null when there was no answer. */
  readonly snippet: string | null
  /** Address and headers. Left out in lists, and for attempts from before the service stored them. */
  readonly exchange?: AttemptExchange
}

/** A delivery in the developer's log (Spec §2.9). `lastAttempt` is null before the first attempt. */
export interface Logged {
  readonly delivery: Delivery
  /** True when there is a replay of this delivery: a later delivery of the same event to the same endpoint. */
  readonly isReplayed: boolean
  readonly lastAttempt: Attempt | null
}

/** The result of a claimed delivery. It is written only while the worker still has the lease. */
export type DeliveryFinish =
  | { readonly _tag: "Delivered"; readonly at: Timestamp }
  | { readonly _tag: "Retry"; readonly attempt: number; readonly dueAt: Timestamp }
  | { readonly _tag: "Failed"; readonly at: Timestamp; readonly reason: FailReason }
  | { readonly _tag: "TooOld"; readonly at: Timestamp }
  /** The attempt was not made, and the same attempt is due again at `dueAt`. */
  | { readonly _tag: "Postponed"; readonly dueAt: Timestamp; readonly faultsSince: Timestamp }

/** Anything but a 2xx within the deadline is a failure (Spec §6.4.5). */
export const isSuccess = (answer: WebhookAnswer): boolean =>
  answer._tag === "Answered" && answer.status >= 200 && answer.status < 300

/** The deadline of the whole attempt: name look-up, connecting, sending and reading the answer (Spec §6.4.5). */
export const ANSWER_DEADLINE = 5 * SECOND
/** How long a delivery waits for the next try after a fault of our own, such as an unreadable secret. */
export const OWN_FAULT_WAIT = 5 * SECOND
/**
 * When faults of our own delay an attempt for longer than this, the delivery fails without a strike, because its event
 * is out of date.
 */
export const OWN_FAULT_LIMIT = 3 * DAY
/**
 * When an attempt is made more than this time after it was due, no worker ran in between. Then the time of
 * `OWN_FAULT_LIMIT` starts anew. Otherwise the first fault after a long stop of the workers would fail deliveries that
 * a fault had delayed before the stop.
 */
export const OWN_FAULT_PAUSE = HOUR
/**
 * How long a lease lasts: for this time after a claim no other worker claims the row. When a worker dies, its leases
 * run out, and the next claim makes the same attempt again (decision W2).
 */
export const LEASE = 30 * SECOND

/**
 * After this many leases in a row ran out on one attempt, the delivery is abandoned. Without this limit, an attempt
 * that crashes its worker would be repeated forever.
 */
export const MAX_LAPSES = RetrySchedule.WAITS.length + 3

/**
 * Computes, for a claim, when the attempt is due again if the lease of this claim runs out too, at `leaseUntil`.
 * `lapses`: how many leases on this attempt ran out in a row before this claim. With 0 or 1, the due time stays, so the
 * attempt is made again as soon as the lease has run out (decision W2). With more, one of the `RetrySchedule.WAITS` is
 * added to the end of the lease; when these waits are used up, the due time stays again. Undefined: the delivery is
 * abandoned in place of this claim.
 */
export const dueAfterLapse = (dueAt: Timestamp, lapses: number, leaseUntil: Timestamp): Timestamp | undefined => {
  if (lapses >= MAX_LAPSES) return undefined
  const wait = RetrySchedule.WAITS[lapses - 2]
  return wait === undefined ? dueAt : plus(leaseUntil, wait)
}

/** The result of the attempt that ended at `endedAt` (Spec §3.5). */
export const afterAttempt = (
  { attempt, dueAt: wasDueAt, faultsSince }: Pick<Delivery, "attempt" | "dueAt" | "faultsSince">,
  answer: WebhookAnswer,
  endedAt: Timestamp
): DeliveryFinish => {
  if (answer._tag === "NotSent") {
    const isPaused = wasDueAt !== null && endedAt - wasDueAt > OWN_FAULT_PAUSE
    const since = isPaused ? endedAt : (faultsSince ?? endedAt)
    return endedAt - since > OWN_FAULT_LIMIT
      ? { _tag: "Failed", at: endedAt, reason: "not_sent" }
      : { _tag: "Postponed", dueAt: plus(endedAt, OWN_FAULT_WAIT), faultsSince: since }
  }
  if (isSuccess(answer)) return { _tag: "Delivered", at: endedAt }
  const dueAt = RetrySchedule.nextDue(attempt, endedAt)
  return dueAt === undefined
    ? { _tag: "Failed", at: endedAt, reason: "exhausted" }
    : { _tag: "Retry", attempt: attempt + 1, dueAt }
}

/** The change of a field in a transition. `set`: to the value of the step. `clear`: to null or false. */
export type FieldChange = "set" | "clear" | "keep"

/** A row of the state machine (`TRANSITIONS`). A transition changes no other fields of a delivery than these. */
export interface DeliveryTransition {
  /** The states in which the step may be taken. In any other state the step changes nothing. */
  readonly from: ReadonlyArray<DeliveryState>
  readonly to: DeliveryState
  readonly failReason: FieldChange
  readonly attempt: Exclude<FieldChange, "clear">
  readonly dueAt: FieldChange
  readonly endedAt: FieldChange
  readonly isHurried: FieldChange
  readonly faultsSince: FieldChange
  /** The worker's lease on the delivery. It is no field of `Delivery`; only the stores have it. */
  readonly lease: FieldChange
}

/** A step that changes a stored delivery: a result, a worker's claim, or a developer's request to attempt it now. */
export type DeliveryStep =
  | DeliveryFinish
  /** `dueAt`: when the attempt is due again if the lease lapses. */
  | { readonly _tag: "Claimed"; readonly dueAt: Timestamp }
  | { readonly _tag: "Hurried"; readonly dueAt: Timestamp }

/** What the end of a delivery changes and keeps, unless a transition below says otherwise. */
const ENDING = {
  from: ["trying"],
  failReason: "keep",
  attempt: "keep",
  dueAt: "clear",
  endedAt: "set",
  isHurried: "keep",
  faultsSince: "keep",
  lease: "clear"
} as const

/** What a step that does not end the delivery changes and keeps, unless a transition below says otherwise. */
const GOING_ON = {
  from: ["trying"],
  to: "trying",
  failReason: "keep",
  attempt: "keep",
  dueAt: "set",
  endedAt: "keep",
  isHurried: "keep",
  faultsSince: "keep",
  lease: "clear"
} as const

/**
 * The state machine of a delivery (Spec §3.5): one row for each step. There are no other transitions. `move` reads this
 * table, and the SQL statements are generated from it, so a changed row changes the service on every kind of database.
 */
export const TRANSITIONS: Readonly<Record<DeliveryStep["_tag"], DeliveryTransition>> = {
  Delivered: { ...ENDING, to: "delivered" },
  Failed: { ...ENDING, to: "failed", failReason: "set" },
  TooOld: { ...ENDING, to: "too_old" },
  Retry: { ...GOING_ON, attempt: "set", isHurried: "clear", faultsSince: "clear" },
  Postponed: { ...GOING_ON, faultsSince: "set" },
  Claimed: { ...GOING_ON, lease: "set" },
  Hurried: { ...GOING_ON, isHurried: "set", lease: "keep" }
}

/** Whether the step may be taken in `state`. */
export const mayTake = (step: DeliveryStep["_tag"], state: DeliveryState): boolean =>
  TRANSITIONS[step].from.includes(state)

/** Whether the delivery still waits for an attempt after the step. */
export const goesOn = (step: DeliveryStep["_tag"]): boolean => mayTake("Claimed", TRANSITIONS[step].to)

/** The values that a step sets. Null: the step does not set the field. */
export interface StepValues {
  readonly failReason: FailReason | null
  /** Null: the step sets no number, and the attempt stays. */
  readonly attempt: number | null
  readonly dueAt: Timestamp | null
  readonly endedAt: Timestamp | null
  readonly faultsSince: Timestamp | null
}

/** The values that `step` sets; null for each field that it does not set. */
export const valuesOf = (step: DeliveryStep): StepValues => ({
  failReason: step._tag === "Failed" ? step.reason : null,
  attempt: step._tag === "Retry" ? step.attempt : null,
  dueAt: "dueAt" in step ? step.dueAt : null,
  endedAt: "at" in step ? step.at : null,
  faultsSince: step._tag === "Postponed" ? step.faultsSince : null
})

/** The delivery after `step`. It is unchanged when the step may not be taken in the delivery's state. */
export const move = (delivery: Delivery, step: DeliveryStep): Delivery =>
  moveBy(TRANSITIONS[step._tag], delivery, valuesOf(step))

/** Like `move`, with any transition in place of the one from `TRANSITIONS`. */
export const moveBy = (row: DeliveryTransition, delivery: Delivery, values: StepValues): Delivery =>
  row.from.includes(delivery.state)
    ? {
        ...delivery,
        state: row.to,
        failReason: changed(row.failReason, delivery.failReason, values.failReason, null),
        attempt: changed(row.attempt, delivery.attempt, values.attempt ?? delivery.attempt, delivery.attempt),
        dueAt: changed(row.dueAt, delivery.dueAt, values.dueAt, null),
        endedAt: changed(row.endedAt, delivery.endedAt, values.endedAt, null),
        isHurried: changed(row.isHurried, delivery.isHurried, true, false),
        faultsSince: changed(row.faultsSince, delivery.faultsSince, values.faultsSince, null)
      }
    : delivery

const changed = <A>(change: FieldChange, before: A, set: A, cleared: A): A =>
  change === "keep" ? before : change === "set" ? set : cleared

/**
 * The effect on the endpoint's strikes (Spec §6.4.7). A delivery that used up all its attempts adds a strike, and a
 * success sets the strikes to 0. Replays, tests and hurried attempts have no effect.
 */
export const effectOnEndpoint = (
  delivery: Pick<Delivery, "replayNo" | "isTest" | "isHurried">,
  finish: DeliveryFinish
): "strike" | "clear" | "none" => {
  if (delivery.replayNo > 0 || delivery.isTest || delivery.isHurried) return "none"
  if (finish._tag === "Delivered") return "clear"
  return finish._tag === "Failed" && IS_STRIKE[finish.reason] ? "strike" : "none"
}

/** The attempt's row in the log; null when nothing was sent. Its `endedAt` is never before its `startedAt`. */
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

/** Whether the event is older than the rule allows. Checked before each attempt (Spec §4.6.8, decision T3). */
export const isTooOld = (
  event: { readonly occurredAt: Timestamp; readonly maxEventAgeS: number | null },
  now: Timestamp
): boolean => event.maxEventAgeS !== null && now - event.occurredAt > event.maxEventAgeS * SECOND

/** The result of the check before sending. */
export type SendVerdict = "send" | "not_authorised" | "too_old"

/** Whether the permission and the event's age allow sending the event now (Spec §6.3.5). */
export const verdict = (
  delivery: Pick<Delivery, "appId" | "envelope" | "maxEventAgeS" | "originalAt">,
  authorisation: Option.Option<Authorisation.Authorisation>,
  now: Timestamp
): SendVerdict => {
  const { envelope, maxEventAgeS, originalAt } = delivery
  // A test is about nobody, so it needs no permission.
  if (envelope.payload.type === "ping" || envelope.isSample === true) return "send"
  // The clock of a phone may be ahead. Then the event says that it occurred later than its first delivery was made.
  const occurredAt = envelope.occurredAt < originalAt ? envelope.occurredAt : originalAt
  const permitted = Option.exists(authorisation, (found) =>
    Authorisation.permits(found, { ...envelope, occurredAt }, now)
  )
  if (!permitted) return "not_authorised"
  return isTooOld({ occurredAt: envelope.occurredAt, maxEventAgeS }, now) ? "too_old" : "send"
}

/**
 * A new delivery to `endpointId`, due at once. `endpointEpoch`: the epoch that the endpoint had when it was read. If
 * the endpoint was disabled since then, its epoch is greater, and the delivery is not sent.
 */
export interface NewDelivery {
  readonly appId: AppId
  readonly id: DeliveryId
  readonly endpointId: EndpointId
  readonly endpointEpoch: number
  readonly envelope: Envelope
  readonly userId: UserId | null
  readonly maxEventAgeS: number | null
  readonly replayNo: number
  /** True for a test, and for a replay of a test. */
  readonly isTest: boolean
  readonly createdAt: Timestamp
  readonly originalAt: Timestamp
}

/** The order of claims: due time, then id by the codes of its characters (decision deliveries-16). */
export const byDueTime = (a: Pick<Delivery, "dueAt" | "id">, b: Pick<Delivery, "dueAt" | "id">): number =>
  (a.dueAt ?? 0) - (b.dueAt ?? 0) || Order.string(a.id, b.id)

/** The state of a new delivery. */
export const FIRST_STATE: DeliveryState = "trying"

/** The new delivery before its first attempt. */
export const begin = (row: NewDelivery): Delivery => ({
  appId: row.appId,
  id: row.id,
  endpointId: row.endpointId,
  envelope: row.envelope,
  userId: row.userId,
  maxEventAgeS: row.maxEventAgeS,
  state: FIRST_STATE,
  failReason: null,
  attempt: 1,
  dueAt: row.createdAt,
  createdAt: row.createdAt,
  endedAt: null,
  replayNo: row.replayNo,
  isTest: row.isTest,
  isHurried: false,
  faultsSince: null,
  originalAt: row.originalAt
})
