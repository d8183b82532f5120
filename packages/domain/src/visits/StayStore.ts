// The port of the derivation of stays (decision visits-6).
import { Context } from "effect"
import type * as Erasure from "../retention-choice/Erasure.js"
import type { DeviceId, PlaceId, StoreEffect, Timestamp, UserId } from "../shared/index.js"
import type { StayFix, Stay } from "./Stay.js"
import type { StayProgress } from "./StayProgress.js"

export interface StayView {
  /** Grows with each upload and each change of a circle. `commit` fails when the version has changed. */
  readonly version: number
  readonly progress: StayProgress
  /** The stretches that the user deleted, by time. */
  readonly erasures: ReadonlyArray<Erasure.Stretch>
}

/** The changes of one step, committed together. */
export interface StayCommit {
  readonly userId: UserId
  readonly deviceId: DeviceId
  /** The view from which the step was computed. */
  readonly view: StayView
  /** The stored stays at these places that began from `from` to `to` are replaced. `to` null: no end. */
  readonly placeIds: ReadonlyArray<PlaceId>
  readonly from: Timestamp.Timestamp
  readonly to: Timestamp.Timestamp | null
  /** The new stays. The stay that was open at `from` is among them, with its present end. */
  readonly stays: ReadonlyArray<Stay>
  readonly progress: StayProgress
  /** All stays of the device were derived, by the present rule: the device is not outdated any more. */
  readonly isAnew: boolean
}

export interface PhoneKey {
  readonly userId: UserId
  readonly deviceId: DeviceId
}

/** Which devices to look for. */
export interface PhoneBatch {
  readonly buckets: ReadonlyArray<number>
  readonly limit: number
  /** Only devices after this one. */
  readonly after: PhoneKey | undefined
}

/** The reads and writes of the derivation of stays. Stays are stored apart from fixes, by place, device and arrival. */
export class StayStore extends Context.Tag("@place-access/domain/visits/StayStore")<
  StayStore,
  {
    /** The user's devices with stays to derive, by id. */
    readonly due: (userId: UserId) => StoreEffect<ReadonlyArray<DeviceId>>
    /** Devices of people of these buckets with stays to derive from a time before `until`, by user and device. */
    readonly behind: (
      asked: PhoneBatch & { readonly until: Timestamp.Timestamp }
    ) => StoreEffect<ReadonlyArray<PhoneKey>>
    /**
     * Devices of people of these buckets whose stays an earlier rule derived (decision visits-12), by user and device.
     * Only an upgrade makes such devices.
     */
    readonly outdated: (asked: PhoneBatch) => StoreEffect<ReadonlyArray<PhoneKey>>
    readonly view: (userId: UserId, deviceId: DeviceId) => StoreEffect<StayView>
    /** The time of the device's last fix before `at`; null: there is none. */
    readonly heardBefore: (
      userId: UserId,
      deviceId: DeviceId,
      at: Timestamp.Timestamp
    ) => StoreEffect<Timestamp.Timestamp | null>
    /** For each place, the device's latest stay that began before `at` and had not ended by then. Ordered by place. */
    readonly openAt: (
      userId: UserId,
      deviceId: DeviceId,
      at: Timestamp.Timestamp
    ) => StoreEffect<ReadonlyArray<Pick<Stay, "placeId" | "arrival">>>
    /**
     * The device's fixes from `from` on, in the order of `Fix.byCapture`. A fix captured while the device was left
     * behind has a position elsewhere (`Carried.elsewhere`), because the person was not with the device.
     */
    readonly fixes: (
      userId: UserId,
      deviceId: DeviceId,
      from: Timestamp.Timestamp,
      limit: number
    ) => StoreEffect<ReadonlyArray<StayFix>>
    /** Commits one step, or nothing (false) when version or progress have changed since the view. */
    readonly commit: (commit: StayCommit) => StoreEffect<boolean>
  }
>() {}
