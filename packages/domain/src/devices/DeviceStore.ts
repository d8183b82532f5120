import { Context, type Effect, type Option } from "effect"
import type { DeviceId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Hash } from "../shared/Vault.js"
import type { Device } from "./Device.js"

/** Users' phones, with the hashes of their tokens. */
export class DeviceStore extends Context.Tag("@place-access/domain/devices/DeviceStore")<
  DeviceStore,
  {
    /** Stores a new phone. */
    readonly create: (device: Device) => Effect.Effect<void, StoreError>
    /** Oldest first, those of one instant by id; removed ones left out. */
    readonly list: (userId: UserId) => Effect.Effect<ReadonlyArray<Device>, StoreError>
    /** None when unknown or removed. The token's route is the user's id: it is the user's own phone. */
    readonly findByToken: (userId: UserId, hash: Hash) => Effect.Effect<Option.Option<Device>, StoreError>
    /** Whether it ever reported a visit that could be. */
    readonly sendsVisits: (userId: UserId, id: DeviceId) => Effect.Effect<boolean, StoreError>
    /** Notes whether the device stays at home. False when there is none, or it was removed. */
    readonly keepAtHome: (userId: UserId, id: DeviceId, staysAtHome: boolean) => Effect.Effect<boolean, StoreError>
    /** False when there is none, or it was removed before. */
    readonly remove: (userId: UserId, id: DeviceId, at: Timestamp) => Effect.Effect<boolean, StoreError>
  }
>() {}
