// The port through which stays are derived and stored (decision visits-7).
import { Context } from "effect"
import type * as Erasure from "../retention-choice/Erasure.js"
import type { DeviceId, PlaceId, StoreEffect, Timestamp, UserId } from "../shared/index.js"
import type { StayFix, Stay } from "./Stay.js"
import type { StayProgress } from "./StayProgress.js"

export interface StayView {
  /**
   * A number that grows when the data from which stays are derived changes, for example by an upload or a moved place.
   * `commit` writes nothing when the version has changed since the view was read.
   */
  readonly version: number
  readonly progress: StayProgress
  /** The stretches of history that the user deleted, in order of time. */
  readonly erasures: ReadonlyArray<Erasure.Stretch>
}

/** The changes of one step of deriving a device's stays, which `commit` stores in one transaction. */
export interface StayCommit {
  readonly userId: UserId
  readonly deviceId: DeviceId
  /** The view from which the step was computed. */
  readonly view: StayView
  /**
   * The places of the step. The commit replaces their stored stays that began between `from` and `to`, both inclusive.
   * `to` null: no end.
   */
  readonly placeIds: ReadonlyArray<PlaceId>
  readonly from: Timestamp.Timestamp
  readonly to: Timestamp.Timestamp | null
  /** The new stays. A stay that was open at `from` is among them, with the end that it has after this step. */
  readonly stays: ReadonlyArray<Stay>
  readonly progress: StayProgress
  /**
   * True: the step derived all stays of the device by the present version of the rules for stays. After the commit,
   * `outdated` no longer returns the device.
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

/**
 * The data that the derivation of stays reads and writes. Stays are stored apart from fixes, by place, device and
 * arrival.
 */
export class StayStore extends Context.Tag("@place-access/domain/visits/StayStore")<
  StayStore,
  {
    /** The user's devices with stays to derive: phones first, then imported files, each by id. */
    readonly due: (userId: UserId) => StoreEffect<ReadonlyArray<DeviceId>>
    /**
     * Devices with stays that are still to be derived, from fixes before `until` or at a new place. Ordered by user and
     * device.
     */
    readonly behind: (
      query: PhoneBatch & { readonly until: Timestamp.Timestamp }
    ) => StoreEffect<ReadonlyArray<PhoneKey>>
    /**
     * Devices whose stays were derived by an earlier version of the rules for stays (decision visits-12), ordered by
     * user and device. Only an upgrade of the service leaves devices outdated. A store that does not outlive an
     * upgrade, such as a store in memory, may always return none.
     */
    readonly outdated: (query: PhoneBatch) => StoreEffect<ReadonlyArray<PhoneKey>>
    /**
     * The state from which a step is computed. The store must read all parts at one moment, or `version` first.
     * Otherwise `commit` would accept a step that was computed from a state older than `version`.
     */
    readonly view: (userId: UserId, deviceId: DeviceId) => StoreEffect<StayView>
    /**
     * The time of the device's last fix before `at`; null: there is no fix before `at`. A fix that was captured while
     * the person had left the device behind counts too.
     */
    readonly heardBefore: (
      userId: UserId,
      deviceId: DeviceId,
      at: Timestamp.Timestamp
    ) => StoreEffect<Timestamp.Timestamp | null>
    /** For each place, the device's latest stay that began before `at` and had not ended at `at`. Ordered by place. */
    readonly openAt: (
      userId: UserId,
      deviceId: DeviceId,
      at: Timestamp.Timestamp
    ) => StoreEffect<ReadonlyArray<Pick<Stay, "placeId" | "arrival" | "heardUntil">>>
    /**
     * The device's fixes from `from` on, in the order of `Fix.byCapture`. A fix that was captured while the person had
     * left the device behind is marked (`isLeftBehind`).
     */
    readonly fixes: (
      userId: UserId,
      deviceId: DeviceId,
      from: Timestamp.Timestamp,
      limit: number
    ) => StoreEffect<ReadonlyArray<StayFix>>
    /**
     * Commits one step. False, and nothing is written, when the version or the progress has changed since the view was
     * read.
     */
    readonly commit: (commit: StayCommit) => StoreEffect<boolean>
  }
>() {}
