// A rule: its target, its window and its terms (decision rules-5).
import { Schema } from "effect"
import type { Circle, Side } from "../places/Geometry.js"
import type { AppId, ConnectionId, PlaceId, RuleId, Timestamp, UserId } from "../shared/index.js"

export const RuleType = /* @__PURE__ */ Schema.Literal("enter", "exit", "dwell")
export type RuleType = typeof RuleType.Type

/** The properties of a rule type, except the condition under which rules of the type fire. */
export interface RuleTypeProperties {
  /** The user's side of the circle when the rule fires. */
  readonly side: Side
  /**
   * Whether the rule fires when the user crosses the edge of the circle. Only a rule that does so has `settleS`, the
   * time in which a later fix can contradict the crossing (decision rules-13).
   */
  readonly firesOnCrossing: boolean
  /** Whether the rule has `dwellMinutes`, and may have `silenceS` (decision rules-14). */
  readonly hasDwellTime: boolean
  /** Whether the rule's state must note that the rule fired, so that the rule fires at most once in each stay. */
  readonly firesOncePerStay: boolean
}

/**
 * The properties of each rule type. Code that treats types differently reads this table where it can, and does not
 * compare a type with a name. So when somebody adds a type, the compiler demands the properties of the new type here.
 * When a rule of a type fires is not in this table, but in `RuleEvaluation.asksAbout`, which `step` calls.
 */
export const PROPERTIES: Readonly<Record<RuleType, RuleTypeProperties>> = {
  enter: { side: "inside", firesOnCrossing: true, hasDwellTime: false, firesOncePerStay: false },
  exit: { side: "outside", firesOnCrossing: true, hasDwellTime: false, firesOncePerStay: false },
  dwell: { side: "inside", firesOnCrossing: false, hasDwellTime: true, firesOncePerStay: true }
}

/** A rule's target: one of the user's places, which may be moved and renamed. */
export interface PlaceTarget {
  readonly _tag: "Place"
  readonly placeId: PlaceId
  readonly label: string
}

/** A rule's target: an area that the app drew and named. The area never changes. */
export interface ZoneTarget {
  readonly _tag: "Zone"
  readonly circle: Circle
  readonly label: string
}

/** The place or area that a rule watches (Spec §4.6). */
export type RuleTarget = PlaceTarget | ZoneTarget

/**
 * A rule uses fixes that were captured at `from` or later, and before `until` (decision T3). Null: no limit on this
 * side.
 */
export interface RuleWindow {
  readonly from: Timestamp.Timestamp | null
  readonly until: Timestamp.Timestamp | null
}

/** A rule: a connection's question that is evaluated at every fix (Spec §2.6). */
export interface Rule<T extends RuleTarget = RuleTarget> {
  readonly userId: UserId
  readonly id: RuleId
  readonly connectionId: ConnectionId
  readonly appId: AppId
  readonly type: RuleType
  readonly target: T
  /** The dwell time in minutes, 5 to 720; null for rules of other types. */
  readonly dwellMinutes: number | null
  /**
   * Seconds, 0 to 300. A rule for arrivals or departures waits this long after a crossing before it fires, so that a
   * later fix can contradict the crossing. Null or 0: the rule fires immediately (decision rules-13).
   */
  readonly settleS: number | null
  /**
   * Seconds, 300 to 1,800. When the phone was last seen inside and sends nothing for this long after the end of the
   * dwell time, the dwell rule fires. Null: only a reading can fire a dwell rule (decision rules-14).
   */
  readonly silenceS: number | null
  /**
   * The address that gets the rule's events. For a rule of the API it is the address of one of the app's endpoints. An
   * imported rule (`isLegacy`) has a separate address. Null: every subscribed endpoint of the app gets the events.
   */
  readonly webhookUrl: string | null
  /**
   * Whether the rule was imported from the time before apps had endpoints. An imported rule has its own address and
   * signing secret. Its events go to this address and to no endpoint (Spec §6.4.9).
   */
  readonly isLegacy: boolean
  readonly window: RuleWindow
  /** Seconds, 30 to 3,600: an older event is not delivered. Null: events are delivered at any age. */
  readonly maxEventAgeS: number | null
  readonly createdAt: Timestamp.Timestamp
  /**
   * Since when the rule is disabled, because the user archived the place or stopped sharing it, or because the scope is
   * missing. Null while the rule works (decision L8).
   */
  readonly disabledAt: Timestamp.Timestamp | null
}

export const MIN_DWELL_MINUTES = 5
export const MAX_DWELL_MINUTES = 720
export const MAX_SETTLE_S = 300
export const MIN_SILENCE_S = 300
export const MAX_SILENCE_S = 1_800
export const MIN_EVENT_AGE_S = 30
export const MAX_EVENT_AGE_S = 3_600
