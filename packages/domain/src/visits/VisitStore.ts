import { Context, type Effect } from "effect"
import type { PlaceId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Told } from "./OsVisit.js"
import type { Position, Visit } from "./Visit.js"

/** Half-open: from `from` until before `to`; null leaves an end open. */
export interface Span {
  readonly from: Timestamp | null
  readonly to: Timestamp | null
}

/** Visits as apps may read them. */
export class VisitStore extends Context.Tag("@place-access/domain/visits/VisitStore")<
  VisitStore,
  {
    /**
     * Derived stays at these places that are long enough by `now` (`Stay.isLongEnough`) and began within `span`, in the order of
     * `Visit.byArrival`; at a place none from before its `since`, and none that is past `cutoff` (`Visit.isPast`). None of devices that
     * tell their visits. One that a file leaves open ended with the newest entry stored of the file. No row of another place is read.
     */
    readonly stays: (asked: {
      readonly userId: UserId
      readonly places: ReadonlyArray<{ readonly placeId: PlaceId; readonly since: Timestamp | null }>
      readonly span: Span
      readonly after: Position | undefined
      readonly limit: number
      readonly now: Timestamp
      readonly cutoff: Timestamp | null
    }) => Effect.Effect<ReadonlyArray<Visit>, StoreError>
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
