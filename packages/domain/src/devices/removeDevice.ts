import { Effect } from "effect"
import type { DeviceId, UserId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { DeviceStore } from "./DeviceStore.js"

/** Its token opens nothing from now on; what it sent stays. `NotFound` the second time. */
export const removeDevice = (userId: UserId, id: DeviceId): Effect.Effect<void, NotFound | StoreError, DeviceStore> =>
  Effect.gen(function* () {
    const removed = yield* (yield* DeviceStore).remove(userId, id, yield* Timestamp.now)
    if (!removed) return yield* new NotFound({ what: "device" })
  }).pipe(Effect.withSpan("removeDevice"))
