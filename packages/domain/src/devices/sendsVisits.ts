import { Effect } from "effect"
import type { StoreError } from "../shared/StoreError.js"
import type { Device } from "./Device.js"
import { DeviceStore } from "./DeviceStore.js"

/** Whether the phone ever reported a visit that could be. */
export const sendsVisits = ({
  id,
  userId
}: Pick<Device, "userId" | "id">): Effect.Effect<boolean, StoreError, DeviceStore> =>
  Effect.flatMap(DeviceStore, (devices) => devices.sendsVisits(userId, id)).pipe(Effect.withSpan("sendsVisits"))
