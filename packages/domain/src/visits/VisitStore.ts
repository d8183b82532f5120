import { Context, type Effect } from "effect"
import type { Point } from "../places/Geometry.js"
import type { DeviceId, PlaceId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Told } from "./OsVisit.js"
import type { Position, Visit } from "./Visit.js"

/** Half-open: from `from` until before `to`; null leaves an end open. */
export interface Span {
  readonly from: Timestamp | null
  readonly to: Timestamp | null
}

/** The stays of a device at a place are derived from its fixes before `dueFrom` only. */
export interface Unfinished {
  readonly deviceId: DeviceId
  readonly placeId: PlaceId
  readonly dueFrom: Timestamp
}

/** A stay with the device whose fixes show it. */
export interface DeviceStay extends Visit {
  readonly deviceId: DeviceId
}

/** A stretch of one device's time; `to` null: for ever. */
export interface DeviceSpan {
  readonly deviceId: DeviceId
  readonly from: Timestamp
  readonly to: Timestamp | null
}

/** Visits as apps may read them. */
export class VisitStore extends Context.Tag("@place-access/domain/visits/VisitStore")<
  VisitStore,
  {
    /**
     * Derived stays at these places that are long enough by `now` (`Stay.isLongEnough`) and began within `span`, in the order of
     * `Visit.byArrival`, then by device; at a place none from before its `since`, and none that is past `cutoff` (`Visit.isPast`). One that a file leaves open ended with the newest entry stored of the file. Where stays are unfinished those alone
     * that had ended `Stay.ABSENCE` before `dueFrom`. No row of another place is read.
     */
    readonly stays: (asked: {
      readonly userId: UserId
      readonly places: ReadonlyArray<{ readonly placeId: PlaceId; readonly since: Timestamp | null }>
      readonly span: Span
      readonly after: Position | undefined
      readonly limit: number
      readonly now: Timestamp
      readonly cutoff: Timestamp | null
      /** Each device and place once. */
      readonly unfinished: ReadonlyArray<Unfinished>
    }) => Effect.Effect<ReadonlyArray<DeviceStay>, StoreError>
    /**
     * When the first stay that has a part within a span ended, of that device at that place; null: there is none, or it goes on. In the
     * order of the spans. Short stays count, too.
     */
    readonly ends: (
      userId: UserId,
      spans: ReadonlyArray<DeviceSpan & { readonly placeId: PlaceId }>
    ) => Effect.Effect<ReadonlyArray<Timestamp | null>, StoreError>
    /** Stays of a device at a place that have a part within a span, for each of the spans; short ones, too. By arrival. */
    readonly staysWithin: (
      userId: UserId,
      spans: ReadonlyArray<DeviceSpan & { readonly placeId: PlaceId }>
    ) => Effect.Effect<ReadonlyArray<DeviceStay>, StoreError>
    /**
     * The median latitude and the median longitude of the fixes that a device took from the beginning of a span until before its end, without
     * those that it took while it was left behind; of an even number the lower. In the order of the spans; null: there are no fixes.
     */
    readonly medians: (
      userId: UserId,
      spans: ReadonlyArray<DeviceSpan>
    ) => Effect.Effect<ReadonlyArray<Point | null>, StoreError>
    /** What devices told, each within its span: from the last arrival that is not after `from`, until before `to`. Each device once. */
    readonly toldWithin: (
      userId: UserId,
      spans: ReadonlyArray<DeviceSpan>
    ) => Effect.Effect<ReadonlyArray<Told>, StoreError>
    /** What the user's phones told, by arrival within `span`, the latest first, then by device. */
    readonly told: (asked: {
      readonly userId: UserId
      readonly span: Span
      /** Go on after this one. */
      readonly after: Pick<Told, "arrival" | "deviceId"> | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<Told>, StoreError>
  }
>() {}
