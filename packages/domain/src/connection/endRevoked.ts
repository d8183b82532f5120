import { Effect, Option } from "effect"
import type { AppId, ConnectionId } from "../shared/Ids.js"
import { ConnectionStore } from "./ConnectionStore.js"
import * as Ending from "./Ending.js"

/** So many connections are looked up at a time; each is ended in a transaction of its own. */
const BATCH = 100

export interface EndRevoked {
  /** Of this app alone; left out: of every revoked app. */
  readonly appId?: AppId | undefined
  /** Left out: all of them. */
  readonly atMost?: number | undefined
}

/**
 * Ends connections of apps that an admin revoked, and answers how many: as of the revocation, when they stopped working
 * (Spec §3.1). Can be interrupted and repeated at any point, by any number of workers. A connection that cannot be ended now is
 * logged and left to the next run.
 */
export const endRevoked = Effect.fn("endRevoked")(function* ({ appId, atMost = Infinity }: EndRevoked = {}) {
  const connections = yield* ConnectionStore
  let ended = 0
  let after: ConnectionId | undefined
  for (let seen = 0; seen < atMost;) {
    const limit = Math.min(BATCH, atMost - seen)
    const ids = yield* connections.listRevoked({ appId, limit, after })
    for (const id of ids) if (yield* endOne(id)) ended++
    if (ids.length < limit) break
    seen += ids.length
    after = ids.at(-1)
  }
  return ended
})

const endOne = (id: ConnectionId) =>
  Effect.gen(function* () {
    const outcome = yield* (yield* ConnectionStore).change(id, {}, ({ app, connection }) => {
      const writes = Ending.ifRevoked(connection, app)
      return { outcome: writes.length > 0, writes }
    })
    return Option.contains(outcome, true)
  }).pipe(
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning("A connection of a revoked app could not be ended, later again", id, error), false)
    )
  )
