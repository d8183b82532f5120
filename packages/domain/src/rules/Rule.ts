import { Schema } from "effect"
import type { Circle } from "../places/Geometry.js"
import type { AppId, ConnectionId, PlaceId, RuleId, UserId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"

export const Type = Schema.Literal("enter", "exit", "dwell")
export type Type = typeof Type.Type

/** One of the user's places, which may move and be renamed. */
export interface SharedPlace {
  readonly _tag: "Place"
  readonly placeId: PlaceId
  readonly label: string
}

/** An area that the app drew and named; it stays as it is. */
export interface Zone {
  readonly _tag: "Zone"
  readonly circle: Circle
  readonly label: string
}

/** What a rule is about (Spec §4.6). */
export type Target = SharedPlace | Zone

/** Capture times at which a rule sees fixes: `[from, until)`, either end open when null (decision T3). */
export interface Window {
  readonly from: Timestamp | null
  readonly until: Timestamp | null
}

/** A standing question of one connection (Spec §2.6). */
export interface Rule<T extends Target = Target> {
  readonly userId: UserId
  readonly id: RuleId
  readonly connectionId: ConnectionId
  readonly appId: AppId
  readonly type: Type
  readonly target: T
  /** 5 to 720 for dwell rules, else null. */
  readonly dwellMinutes: number | null
  /** One of the app's registered endpoints; null sends to every subscribed one. An imported rule's is its own address. */
  readonly webhookUrl: string | null
  /** Imported from before apps had endpoints, with an address and a secret of its own (Spec §6.4.9). */
  readonly isLegacy: boolean
  readonly window: Window
  /** 30 to 3,600 s; null delivers at any age. */
  readonly maxEventAgeS: number | null
  readonly createdAt: Timestamp
  /** Set while the place is withdrawn or archived, or the scope narrowed away (decision L8). */
  readonly disabledAt: Timestamp | null
}

export const MIN_DWELL_MINUTES = 5
export const MAX_DWELL_MINUTES = 720
export const MIN_EVENT_AGE_S = 30
export const MAX_EVENT_AGE_S = 3_600
