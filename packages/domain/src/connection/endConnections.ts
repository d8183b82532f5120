import { Effect, Option } from "effect"
import { type AppId, type ConnectionId, NotFound, program, type UserId } from "../shared/index.js"
import { ConnectionStore } from "./ConnectionStore.js"
import * as DisconnectNotice from "./DisconnectNotice.js"
import * as Ending from "./Ending.js"

/**
 * Ends the user's connection and mails a receipt (Spec §3.1). Idempotent. Fails with `NotFound` when the user has no
 * such connection.
 */
export const disconnect = program("disconnect", function* (userId: UserId, id: ConnectionId) {
  const outcome = yield* (yield* ConnectionStore).change(id, ({ app, connection }, now) => {
    if (connection.userId !== userId) return { outcome: false, writes: [] }
    const over = Ending.ifOver(connection, app, now)
    if (connection.endedAt !== null || over.length > 0) return { outcome: true, writes: over }
    const receipt = { _tag: "Mail", message: DisconnectNotice.message(app, connection, now) } as const
    return { outcome: true, writes: [...Ending.end(connection, "user_disconnected", now), receipt] }
  })
  if (!Option.contains(outcome, true)) return yield* new NotFound({ what: "connection" })
})

/** The maximum number of connections that one query reads. Each connection is ended in its own transaction. */
const BATCH = 100

export interface EndRevoked {
  /** The revoked app whose connections are ended. Left out: the connections of all revoked apps are ended. */
  readonly appId?: AppId | undefined
  readonly atMost?: number | undefined
}

/**
 * Ends the connections of revoked apps (Spec §3.1), and returns how many it ended. The stored end is the time of the
 * revocation (`Ending.ifRevoked`). The program may be interrupted, repeated and run by several workers at once. When a
 * connection cannot be ended, this is logged, and the next run tries again.
 */
export const endRevoked = program("endRevoked", function* ({ appId, atMost = Infinity }: EndRevoked = {}) {
  const connections = yield* ConnectionStore
  let [ended, seen] = [0, 0]
  // The program handles one app after another. A query for the connections of all apps would have to sort all of these
  // connections each time.
  for (const id of appId === undefined ? yield* connections.revokedApps : [appId]) {
    let after: ConnectionId | undefined
    while (seen < atMost) {
      const limit = Math.min(BATCH, atMost - seen)
      const ids = yield* connections.listRevoked({ appId: id, limit, after })
      for (const one of ids) if (yield* endOne(one)) ended++
      seen += ids.length
      if (ids.length < limit) break
      after = ids.at(-1)
    }
  }
  return ended
})

const endOne = (id: ConnectionId) =>
  Effect.gen(function* () {
    const outcome = yield* (yield* ConnectionStore).change(id, ({ app, connection }) => {
      const writes = Ending.ifRevoked(connection, app)
      return { outcome: writes.length > 0, writes }
    })
    return Option.contains(outcome, true)
  }).pipe(
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning("A connection of a revoked app could not be ended, later again", id, error), false)
    )
  )
