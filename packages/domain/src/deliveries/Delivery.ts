import { Option, Order, Schema } from "effect"
import { type Attempt, isSuccess } from "./Attempt.js"
import * as Authorisation from "./Authorisation.js"
import type { WebhookAnswer } from "../endpoints/WebhookSender.js"
import type { Envelope } from "../events/Event.js"
import type { AppId, DeliveryId, EndpointId, UserId } from "../shared/Ids.js"
import { DAY, earlier, HOUR, MINUTE, plus, SECOND, type Timestamp } from "../shared/Timestamp.js"
import * as RetrySchedule from "./RetrySchedule.js"

export { ANSWER_DEADLINE, type Attempt, attemptOf, isSuccess, isWithheld } from "./Attempt.js"

export const DeliveryState = Schema.Literal("trying", "delivered", "failed", "too_old")
export type DeliveryState = typeof DeliveryState.Type

/**
 * Why a delivery failed. `exhausted`: the last attempt failed. `not_sent`: faults of the service delayed an attempt for
 * longer than `OWN_FAULT_LIMIT`, or prevented a test. `abandoned`: too many leases in a row ran out on the same attempt
 * (`MAX_LAPSES`). `address_changed`: the event's rule names an address, and the endpoint now has another address.
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

/**
 * Whether a failure counts as a strike against the endpoint. Only a failure that is the receiver's fault counts
 * (decision W3).
 */
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
 * A delivery: one event for one endpoint (Spec §2.9, §3.5). A worker claims the row under a lease, makes one attempt,
 * and stores the result. `TRANSITIONS` says how the result changes the row. A worker may make the first attempt before
 * the delivery has a row (`deliverFirst`). `packages/domain/docs/state-machines.md` draws the states.
 */
export interface Delivery {
  readonly appId: AppId
  readonly id: DeliveryId
  readonly endpointId: EndpointId
  readonly envelope: Envelope
  /** The person whom the event is about; null for a test. */
  readonly userId: UserId | null
  readonly maxEventAgeS: number | null
  readonly state: DeliveryState
  readonly failReason: FailReason | null
  /**
   * The number of the attempt in flight or, between attempts, of the next attempt, counted from 1. After the delivery
   * has ended, the number of the attempt that was the last or that would have been the next.
   */
  readonly attempt: number
  /** When the next attempt is due; null after the delivery has ended. */
  readonly dueAt: Timestamp | null
  readonly createdAt: Timestamp
  readonly endedAt: Timestamp | null
  /** 0 for the first delivery; 1, 2 … for replays of the event to the same endpoint. */
  readonly replayNo: number
  readonly isTest: boolean
  /**
   * True when the developer asked for this attempt before it was due. Its result then neither adds a strike nor clears
   * strikes (Spec §3.4).
   */
  readonly isHurried: boolean
  /** Since when faults of the service have delayed the present attempt; null: no fault has delayed the attempt. */
  readonly faultsSince: Timestamp | null
  /**
   * When the first delivery of this event to this endpoint was created. For a replay, this is earlier than `createdAt`.
   */
  readonly originalAt: Timestamp
}

/** A delivery in the developer's log (Spec §2.9). `lastAttempt` is null when there was no attempt. */
export interface Logged {
  readonly delivery: Delivery
  /** True when this delivery was replayed: a later delivery of the same event to the same endpoint was made. */
  readonly isReplayed: boolean
  readonly lastAttempt: Attempt | null
}

/**
 * The result of an attempt, or of the check before the attempt (`verdict`). The result for a claimed delivery is stored
 * only if the worker still has the lease; otherwise another worker may be making the same attempt.
 */
export type DeliveryFinish =
  | { readonly _tag: "Delivered"; readonly at: Timestamp }
  | { readonly _tag: "Retry"; readonly attempt: number; readonly dueAt: Timestamp }
  | { readonly _tag: "Failed"; readonly at: Timestamp; readonly reason: FailReason }
  | { readonly _tag: "TooOld"; readonly at: Timestamp }
  /** A fault of the service, or a suspension if `faultsSince` is null, delays the attempt until `dueAt`. */
  | { readonly _tag: "Postponed"; readonly dueAt: Timestamp; readonly faultsSince: Timestamp | null }

/** How long a delivery waits after a fault of the service, such as a secret that cannot be decrypted. */
export const OWN_FAULT_WAIT = 5 * SECOND
/**
 * When faults of the service delay an attempt for longer than this, the delivery fails without a strike, as
 * `not_sent`. Otherwise a damaged row, which can never be sent, would be tried without end (decision W3).
 */
export const OWN_FAULT_LIMIT = 3 * DAY
/**
 * An attempt that is made more than this time after it was due usually waited for a worker, or in a backlog. So the
 * time that counts for `OWN_FAULT_LIMIT` starts anew. Otherwise, after a long stop of the workers, the first fault
 * would fail every delivery that a fault had delayed before the stop.
 */
export const OWN_FAULT_PAUSE = HOUR
/** How long a delivery of this age waits for its next try while its connection is suspended (decision staff-1). */
export const suspendedWait = (ageMillis: number): number =>
  Math.min(HOUR, Math.max(10 * MINUTE, Math.trunc(ageMillis / 20)))
/**
 * A delivery that is older than this while its connection is suspended fails as `not_authorised`. Otherwise the
 * deliveries of an account that is suspended for good would wait without end.
 */
export const SUSPENDED_LIMIT = 30 * DAY
/**
 * How long a lease lasts. For this time after a claim, no other worker claims the row. When a worker dies, its leases
 * run out, and another worker makes the same attempts (decision W2).
 */
export const LEASE = 30 * SECOND

/**
 * After this many leases in a row ran out on one attempt, the delivery is abandoned. Without this limit, an attempt
 * that crashes its worker would be repeated forever.
 */
export const MAX_LAPSES = RetrySchedule.WAITS.length + 3

/**
 * Computes when an attempt is due again if the lease of the present claim runs out at `leaseUntil`. `lapses` is how
 * many leases on this attempt ran out in a row before this claim.
 * - 0 or 1: the due time stays, so the attempt is made again as soon as the lease has run out (decision W2).
 * - More: one of the `RetrySchedule.WAITS` is added to the end of the lease. When these waits are used up, the due time
 *   stays.
 * - `MAX_LAPSES`: undefined. The delivery is abandoned and not claimed.
 */
export const dueAfterLapse = (dueAt: Timestamp, lapses: number, leaseUntil: Timestamp): Timestamp | undefined => {
  if (lapses >= MAX_LAPSES) return undefined
  const wait = RetrySchedule.WAITS[lapses - 2]
  return wait === undefined ? dueAt : plus(leaseUntil, wait)
}

/** The result of the attempt that ended at `endedAt` (Spec §3.5). */
export const afterAttempt = (
  { attempt, dueAt: wasDueAt, envelope, faultsSince, maxEventAgeS }: Delivery,
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
    : { _tag: "Retry", attempt: attempt + 1, dueAt: earlier(dueAt, tooOldAt({ envelope, maxEventAgeS })) }
}

/**
 * The change of a field in a transition. `set`: the field gets the step's value (`isHurried` becomes true, and `lease`
 * gets a new id from the store). `clear`: the field becomes null or false.
 */
export type FieldChange = "set" | "clear" | "keep"

/**
 * A row of the state machine (`TRANSITIONS`). A transition changes only the fields of a delivery that are listed in
 * this type.
 */
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
  /** The worker's lease. It is no field of `Delivery`: the store's row and `ClaimedDelivery` have it. */
  readonly lease: FieldChange
}

/**
 * A step that changes a stored delivery: the result of an attempt, an end without an attempt (for example because the
 * endpoint was removed), a worker's claim, or a developer's request to make the next attempt at once (`Hurried`).
 */
export type DeliveryStep =
  | DeliveryFinish
  /** `dueAt`: when the attempt is due again if the lease lapses. */
  | { readonly _tag: "Claimed"; readonly dueAt: Timestamp }
  | { readonly _tag: "Hurried"; readonly dueAt: Timestamp }

/**
 * What a step that ends the delivery does with each field, unless the entry of the step in `TRANSITIONS` says
 * otherwise.
 */
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

/**
 * What a step that does not end the delivery does with each field, unless the entry of the step in `TRANSITIONS` says
 * otherwise.
 */
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
 * The state machine of a delivery (Spec §3.5): one row for each step, and no other transitions. `move` reads this
 * table, and the SQL statements are generated from it. So a change of a row takes effect in every store.
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

/** The values that a step sets. Null: the step does not set the field, or sets it to null. */
export interface StepValues {
  readonly failReason: FailReason | null
  /** Null: the step does not set the number, so the attempt keeps its number. */
  readonly attempt: number | null
  readonly dueAt: Timestamp | null
  readonly endedAt: Timestamp | null
  readonly faultsSince: Timestamp | null
}

/** The values that `step` sets; null for each field that it does not set, or sets to null. */
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
 * The effect of a result on the endpoint's strikes (Spec §6.4.7). A delivery that failed at all its attempts adds a
 * strike, and a successful delivery sets the strikes to 0. Replays, tests and hurried attempts have no effect.
 */
export const effectOnEndpoint = (
  delivery: Pick<Delivery, "replayNo" | "isTest" | "isHurried">,
  finish: DeliveryFinish
): "strike" | "clear" | "none" => {
  if (delivery.replayNo > 0 || delivery.isTest || delivery.isHurried) return "none"
  if (finish._tag === "Delivered") return "clear"
  return finish._tag === "Failed" && IS_STRIKE[finish.reason] ? "strike" : "none"
}

/**
 * The first moment at which the event is too old (`isTooOld`); null: never. The next check must come at this moment, so
 * that `verdict` ends the delivery: no later attempt can be made.
 */
export const tooOldAt = ({ envelope, maxEventAgeS }: Pick<Delivery, "envelope" | "maxEventAgeS">): Timestamp | null =>
  maxEventAgeS === null ? null : plus(envelope.occurredAt, maxEventAgeS * SECOND + 1)

/** Whether the event is older than its rule allows. Checked before each attempt (Spec §4.6.8, decision T3). */
export const isTooOld = (
  event: { readonly occurredAt: Timestamp; readonly maxEventAgeS: number | null },
  now: Timestamp
): boolean => event.maxEventAgeS !== null && now - event.occurredAt > event.maxEventAgeS * SECOND

/** The result of the check before sending. */
export type SendVerdict = "send" | "not_authorised" | "too_old" | "suspended"

/**
 * Whether the permission and the event's age allow sending the event now (Spec §6.3.5). `suspended`: they allow sending
 * it when the suspension of the connection has ended.
 */
export const verdict = (
  delivery: Pick<Delivery, "appId" | "envelope" | "maxEventAgeS" | "createdAt" | "originalAt">,
  authorisation: Option.Option<Authorisation.Authorisation>,
  now: Timestamp
): SendVerdict => {
  const { createdAt, envelope, maxEventAgeS, originalAt } = delivery
  // A test is not about a person, so it needs no permission.
  if (envelope.payload.type === "ping" || envelope.isSample === true) return "send"
  // The clock of a phone may be ahead. Then the event's time is later than the creation of its first delivery, and that
  // creation is nearer to the real time of the event.
  const occurredAt = envelope.occurredAt < originalAt ? envelope.occurredAt : originalAt
  const permitted = Option.exists(authorisation, (found) =>
    Authorisation.permits(found, { ...envelope, occurredAt }, now)
  )
  const isSuspended = Option.exists(authorisation, (found) => found.isSuspended === true)
  if (!permitted || (isSuspended && now - createdAt > SUSPENDED_LIMIT)) return "not_authorised"
  if (isTooOld({ occurredAt: envelope.occurredAt, maxEventAgeS }, now)) return "too_old"
  return isSuspended ? "suspended" : "send"
}

/**
 * A new delivery to `endpointId`, due at once. `endpointEpoch`: the epoch that the endpoint had when the caller read
 * it. If the endpoint was disabled after that, its epoch is greater, and no worker claims the delivery.
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

/**
 * The order in which deliveries are claimed: by due time, then by the character codes of the id (decision
 * deliveries-16).
 */
export const byDueTime = (a: Pick<Delivery, "dueAt" | "id">, b: Pick<Delivery, "dueAt" | "id">): number =>
  (a.dueAt ?? 0) - (b.dueAt ?? 0) || Order.string(a.id, b.id)

/** The state of a new delivery. */
export const FIRST_STATE: DeliveryState = "trying"

/** The delivery of a new row, before its first attempt. */
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
