// The port of the derivation of stays (decision visits-6).
import { Context } from "effect"
import type * as Erasure from "../retention-choice/Erasure.js"
import type { DeviceId, PlaceId, StoreEffect, Timestamp, UserId } from "../shared/index.js"
import type { StayFix, Stay } from "./Stay.js"
import type { StayProgress } from "./StayProgress.js"

export interface StayView {
  /**
   * Rises when the data from which stays are derived changes, for example by an upload or a moved place. `commit`
   * writes nothing when the version has changed after the view was read.
   */
  readonly version: number
  readonly progress: StayProgress
  /** The stretches that the user deleted, by time. */
  readonly erasures: ReadonlyArray<Erasure.Stretch>
}

/** The changes of one step, which `commit` stores in one transaction. */
export interface StayCommit {
  readonly userId: UserId
  readonly deviceId: DeviceId
  /** The view from which the step was computed. */
  readonly view: StayView
  /**
   * The places of the step. Their stored stays that began between `from` and `to`, both inclusive, are replaced. `to`
   * null: no end.
   */
  readonly placeIds: ReadonlyArray<PlaceId>
  readonly from: Timestamp.Timestamp
  readonly to: Timestamp.Timestamp | null
  /** The new stays. A stay that was open at `from` is among them, with its present end. */
  readonly stays: ReadonlyArray<Stay>
  readonly progress: StayProgress
  /**
   * Whether the step derived all stays of the device by the present rules, so that the device is not outdated any more.
   */
  readonly isAnew: boolean
}

export interface PhoneKey {
  readonly userId: UserId
  readonly deviceId: DeviceId
}

/** A request for a batch of devices. `buckets`: only devices of people in these buckets (`PeopleLeases.buckets`). */
export interface PhoneBatch {
  readonly buckets: ReadonlyArray<number>
  readonly limit: number
  /** The last device of the previous batch; undefined for the first batch. */
  readonly after: PhoneKey | undefined
}

/** What the derivation of stays reads and writes. Stays are stored apart from fixes, by place, device and arrival. */
export class StayStore extends Context.Tag("@place-access/domain/visits/StayStore")<
  StayStore,
  {
    /** The user's devices with stays to derive: phones first, then imported files, each by id. */
    readonly due: (userId: UserId) => StoreEffect<ReadonlyArray<DeviceId>>
    /** Devices with stays to derive from a time before `until`, or at a new place, by user and device. */
    readonly behind: (
      asked: PhoneBatch & { readonly until: Timestamp.Timestamp }
    ) => StoreEffect<ReadonlyArray<PhoneKey>>
    /**
     * Devices whose stays were derived by an earlier version of the rules (decision visits-12), by user and device.
     * Only an upgrade of the service leaves devices outdated. A store whose stays were all derived by the present rules
     * may always return none.
     */
    readonly outdated: (asked: PhoneBatch) => StoreEffect<ReadonlyArray<PhoneKey>>
    /**
     * All of it is of one moment, or `version` is read first. Otherwise `commit` would accept a step that was computed
     * from a state older than `version`.
     */
    readonly view: (userId: UserId, deviceId: DeviceId) => StoreEffect<StayView>
    /**
     * The time of the device's last fix before `at`, also of a fix that was captured while the person had left the
     * device behind; null: there is none. A fix at `at` does not count.
     */
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
    ) => StoreEffect<ReadonlyArray<Pick<Stay, "placeId" | "arrival" | "heardUntil">>>
    /**
     * The device's fixes from `from` on, in the order of `Fix.byCapture`. A fix that was captured while the person had
     * left the device behind gets a position elsewhere (`Carried.elsewhere`), because it does not show where the person
     * was.
     */
    readonly fixes: (
      userId: UserId,
      deviceId: DeviceId,
      from: Timestamp.Timestamp,
      limit: number
    ) => StoreEffect<ReadonlyArray<StayFix>>
    /** Commits one step. Returns false and writes nothing when version or progress have changed since the view. */
    readonly commit: (commit: StayCommit) => StoreEffect<boolean>
  }
>() {}
