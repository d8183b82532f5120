import { Effect } from "effect"
import { ConnectionStore } from "../connection/ConnectionStore.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Device } from "./Device.js"
import { DeviceStore } from "./DeviceStore.js"

/**
 * Whether the phone is to be asked to report visits: an app of its user may read them now, and the phone never reported one. A
 * phone that is asked overrides what its user set in the phone's app, so nobody is asked for the sake of visits that nobody reads.
 */
export const wantsVisits = ({
  id,
  userId
}: Pick<Device, "userId" | "id">): Effect.Effect<boolean, StoreError, ConnectionStore | DeviceStore> =>
  Effect.gen(function* () {
    if (yield* (yield* DeviceStore).sendsVisits(userId, id)) return false
    const connections = yield* (yield* ConnectionStore).listOfUser(userId)
    const now = yield* Timestamp.now
    return connections.some(({ app, connection }) =>
      EffectiveScopes.effective(connection, app, now).includes("location.visits.read")
    )
  }).pipe(Effect.withSpan("wantsVisits"))
