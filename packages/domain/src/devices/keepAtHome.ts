import { Effect } from "effect"
import type { DeviceId, UserId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Device } from "./Device.js"
import { DeviceStore } from "./DeviceStore.js"

/** The owner says whether a device stays at home. It counts for what the device sends from now on. */
export const keepAtHome = (
  userId: UserId,
  id: DeviceId,
  staysAtHome: boolean
): Effect.Effect<Device, NotFound | StoreError, DeviceStore> =>
  Effect.gen(function* () {
    const devices = yield* DeviceStore
    const isDone = yield* devices.keepAtHome(userId, id, staysAtHome)
    const device = isDone ? (yield* devices.list(userId)).find((one) => one.id === id) : undefined
    return device ?? (yield* new NotFound({ what: "device" }))
  }).pipe(Effect.withSpan("keepAtHome"))
