import { Effect, Option } from "effect"
import type { ConnectionId, UserId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import { ConnectionStore } from "./ConnectionStore.js"
import * as Ending from "./Ending.js"
import * as Receipt from "./Receipt.js"

/**
 * The user ends a connection: tokens die, rules stop, a receipt goes out (Spec §3.1). Idempotent: one that has ended stays as
 * it ended. `NotFound` for another user's.
 */
export const disconnect = (
  userId: UserId,
  id: ConnectionId
): Effect.Effect<void, NotFound | StoreError, ConnectionStore> =>
  Effect.gen(function* () {
    const outcome = yield* (yield* ConnectionStore).change(id, {}, ({ app, connection }, now) => {
      if (connection.userId !== userId) return { outcome: false, writes: [] }
      const writes = Ending.end(connection, "user_disconnected", now)
      const isOurs = writes.some((write) => write._tag === "End" && write.reason === "user_disconnected")
      const receipt = { _tag: "Mail", message: Receipt.disconnected(app, connection, now) } as const
      return { outcome: true, writes: isOurs ? [...writes, receipt] : writes }
    })
    if (!Option.contains(outcome, true)) return yield* new NotFound({ what: "connection" })
  }).pipe(Effect.withSpan("disconnect"))
