import { Context } from "effect"
import type { Point } from "../places/Geometry.js"
import type { DeviceId, PlaceId, StoreEffect, Timestamp, UserId } from "../shared/index.js"
import type { VisitReports } from "./OsVisit.js"
import type { Position, Visit } from "./Visit.js"

/** A time span from `from`, inclusive, to `to`, exclusive. Null: the span has no beginning, or no end. */
export interface Span {
  readonly from: Timestamp.Timestamp | null
  readonly to: Timestamp.Timestamp | null
}

/** A device and a place. The device's stays at the place have so far been derived only from fixes before `dueFrom`. */
export interface Unfinished {
  readonly deviceId: DeviceId
  readonly placeId: PlaceId
  readonly dueFrom: Timestamp.Timestamp
}

/** A stay, with the device that it was derived for. */
export interface DeviceStay extends Visit {
  readonly deviceId: DeviceId
}

/** A time span of one device; `to` null: no end. */
export interface DeviceSpan {
  readonly deviceId: DeviceId
  readonly from: Timestamp.Timestamp
  readonly to: Timestamp.Timestamp | null
}

/** Reads derived stays and reported visits. */
export class VisitStore extends Context.Tag("@place-access/domain/visits/VisitStore")<
  VisitStore,
  {
    /**
     * Derived stays at these places that are long enough at `now` (`Stay.isLongEnough`) and began within `span`, in the
     * order of `Visit.byArrival`, then by device. Stays from before a place's `since` and stays past `cutoff`
     * (`Visit.isPast`) are left out. A stay of an imported file ends with the file's newest stored entry at the latest,
     * even if the stay is open, or was ended by a deleted stretch after this entry. For a device and place in
     * `unfinished`, the answer has only final stays: stays that ended `Stay.FINAL_AFTER` or more before `dueFrom`. Each
     * departure is the result of `Stay.departureOf`. The store reads no rows of other places.
     */
    readonly stays: (query: {
      readonly userId: UserId
      readonly places: ReadonlyArray<{ readonly placeId: PlaceId; readonly since: Timestamp.Timestamp | null }>
      readonly span: Span
      readonly after: Position | undefined
      readonly limit: number
      readonly now: Timestamp.Timestamp
      readonly cutoff: Timestamp.Timestamp | null
      /** Each pair of device and place appears at most once. */
      readonly unfinished: ReadonlyArray<Unfinished>
    }) => StoreEffect<ReadonlyArray<DeviceStay>>
    /**
     * For each span, the end (`departure`) of the first stay that overlaps the span, at the place and of the device of
     * the span. Null when there is no such stay, or when the stay is open. Stays shorter than `Stay.MIN_STAY` count
     * too.
     */
    readonly ends: (
      userId: UserId,
      spans: ReadonlyArray<DeviceSpan & { readonly placeId: PlaceId }>
    ) => StoreEffect<ReadonlyArray<Pick<Visit, "departure" | "isUncertain">>>
    /**
     * The stays that overlap one of the spans, at the place and of the device of this span, ordered by arrival. A stay
     * that overlaps several spans is in the result once. Stays shorter than `Stay.MIN_STAY` are included.
     */
    readonly staysWithin: (
      userId: UserId,
      spans: ReadonlyArray<DeviceSpan & { readonly placeId: PlaceId }>
    ) => StoreEffect<ReadonlyArray<DeviceStay>>
    /**
     * For each span, the median latitude and the median longitude of the device's fixes in the span (of an even number,
     * the lower of the two middle values). When most fixes are more than 90° from Greenwich, longitudes are counted
     * eastward from 0° to 360°, so that the median is right near the 180° meridian too. Fixes that were captured while
     * the person had left the device behind do not count. Null when there are no fixes.
     */
    readonly medians: (userId: UserId, spans: ReadonlyArray<DeviceSpan>) => StoreEffect<ReadonlyArray<Point | null>>
    /**
     * For each span, the reports of the device's visits that may overlap it: the visits that arrived in the span, the
     * last visit that arrived at or before `from`, and earlier visits with a reported departure after `from` that
     * arrived at most `OsVisit.LONGEST` before `from`. `spans` has at most one span for each device.
     */
    readonly reportsWithin: (
      userId: UserId,
      spans: ReadonlyArray<DeviceSpan>
    ) => StoreEffect<ReadonlyArray<VisitReports>>
    /** The reports of the user's devices with an arrival within `span`, latest first, then by device. */
    readonly reports: (query: {
      readonly userId: UserId
      readonly span: Span
      /** The last reports of the previous read; undefined for the first read. */
      readonly after: Pick<VisitReports, "arrival" | "deviceId"> | undefined
      readonly limit: number
    }) => StoreEffect<ReadonlyArray<VisitReports>>
  }
>() {}
