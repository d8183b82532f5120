import { Effect } from "effect"
import type { Connection } from "../connection/Connection.js"
import type { SubscriptionId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import { LegacyStore } from "./LegacyStore.js"

/** No more events go there, and those that wait are not sent. `NotFound` the second time, and for another connection's. */
export const removeSubscription = Effect.fn("removeSubscription")(function* (
  { id: connectionId, userId }: Pick<Connection, "userId" | "id">,
  id: SubscriptionId
) {
  const removed = yield* (yield* LegacyStore).unsubscribe(userId, connectionId, id)
  if (!removed) return yield* new NotFound({ what: "subscription" })
})
