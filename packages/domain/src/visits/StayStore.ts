import { Context, type Effect } from "effect"
import type { DeviceId, PlaceId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Sighting, Stay } from "./Stay.js"
import type { Progress } from "./StayProgress.js"

export interface StayView {
  /** Of the user's uploads: grows with each, and with each change of a place's circle. */
  readonly version: number
  readonly progress: Progress
}

/** What one step of the derivation changes, written together or not at all. */
export interface StayCommit {
  readonly userId: UserId
  readonly deviceId: DeviceId
  /** What the step was computed from. */
  readonly view: StayView
  /** Stays at these places that began from `from` to `to` (null: ever after) are replaced. */
  readonly placeIds: ReadonlyArray<PlaceId>
  readonly from: Timestamp
  readonly to: Timestamp | null
  /** An earlier one that was open at `from` is among them, as it is now. */
  readonly stays: ReadonlyArray<Stay>
  readonly progress: Progress
}

/** What the derivation of stays reads and writes. Stays are kept apart from fixes, by place, device and arrival. */
export class StayStore extends Context.Tag("@place-access/domain/visits/StayStore")<
  StayStore,
  {
    /** The user's devices that owe something, by id. */
    readonly due: (userId: UserId) => Effect.Effect<ReadonlyArray<DeviceId>, StoreError>
    /** Devices of any user that owe something from before `until`, by user and device. */
    readonly behind: (asked: {
      readonly until: Timestamp
      readonly limit: number
      /** Go on after this one. */
      readonly after: { readonly userId: UserId; readonly deviceId: DeviceId } | undefined
    }) => Effect.Effect<ReadonlyArray<{ readonly userId: UserId; readonly deviceId: DeviceId }>, StoreError>
    /** What the stays of one phone are derived from. */
    readonly view: (userId: UserId, deviceId: DeviceId) => Effect.Effect<StayView, StoreError>
    /** The device's stays that had begun before `at` and not ended before it, each place's latest, by place. */
    readonly openAt: (
      userId: UserId,
      deviceId: DeviceId,
      at: Timestamp
    ) => Effect.Effect<ReadonlyArray<Pick<Stay, "placeId" | "arrival">>, StoreError>
    /**
     * The device's fixes taken at `from` or later, in the order of `Fix.byCapture`. What it captured while it was left behind is as if
     * it were somewhere else altogether (`Carried.elsewhere`): its owner was not there.
     */
    readonly fixes: (
      userId: UserId,
      deviceId: DeviceId,
      from: Timestamp,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Sighting>, StoreError>
    /** False, and nothing written, when the version or the progress is not the one that was read. */
    readonly commit: (commit: StayCommit) => Effect.Effect<boolean, StoreError>
  }
>() {}
