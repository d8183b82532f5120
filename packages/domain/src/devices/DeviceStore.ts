import { Context, type Option } from "effect"
import type { DeviceId, StoreEffect, Timestamp, UserId, Vault } from "../shared/index.js"
import type { Device } from "./Device.js"

/** Users' phones, with the hashes of their tokens. */
export class DeviceStore extends Context.Tag("@place-access/domain/devices/DeviceStore")<
  DeviceStore,
  {
    /**
     * Locks the user and stores the device. Returns false, and stores nothing, when the user already has
     * `AccountLimits.DEVICES` devices that are not removed. The devices that the service makes for imported files do
     * not count.
     */
    readonly create: (device: Device) => StoreEffect<boolean>
    /** The user's devices, oldest first, then by id, without removed devices and the devices of imported files. */
    readonly list: (userId: UserId) => StoreEffect<ReadonlyArray<Device>>
    /** The user's device with this token hash. None when the token is unknown or the device was removed. */
    readonly findByToken: (userId: UserId, hash: Vault.Hash) => StoreEffect<Option.Option<Device>>
    /**
     * Uses up the set-up link whose key has this hash, and returns the device without the link. None when the hash is
     * unknown, when the link was used, when `now` is the link's `until` or later, and for a removed device. Of
     * concurrent calls, one gets the device.
     */
    readonly takeSetupLink: (
      userId: UserId,
      hash: Vault.Hash,
      now: Timestamp.Timestamp
    ) => StoreEffect<Option.Option<Device>>
    /** Whether the device ever reported a usable visit, even if the visit was deleted later. */
    readonly sendsVisits: (userId: UserId, id: DeviceId) => StoreEffect<boolean>
    /** Sets or removes the owner's mark that the device stays at home. False when there is no such device. */
    readonly keepAtHome: (userId: UserId, id: DeviceId, staysAtHome: boolean) => StoreEffect<boolean>
    /**
     * Removes the device. False when the user has no such device, or the device was removed already. The removal raises
     * the user's version (`UploadView.version`), so an upload or a worker that has read the user's data before the
     * removal must read the data again. When no device is left that may be carried and has sent something
     * (`Carried.mayShowMovement`), the same transaction drops the firings of dwell rules that would follow from silence
     * after `at` (decision rules-14).
     */
    readonly remove: (userId: UserId, id: DeviceId, at: Timestamp.Timestamp) => StoreEffect<boolean>
  }
>() {}
