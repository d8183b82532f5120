import { Effect } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Device } from "./Device.js"
import { DeviceStore } from "./DeviceStore.js"

/** The phones that may upload for the user, oldest first. */
export const listDevices = (userId: UserId): Effect.Effect<ReadonlyArray<Device>, StoreError, DeviceStore> =>
  Effect.flatMap(DeviceStore, (devices) => devices.list(userId)).pipe(Effect.withSpan("listDevices"))
