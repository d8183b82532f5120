import { Effect, Option } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import type { ConnectionId, UserId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { ConnectionStore } from "./ConnectionStore.js"
import * as EffectiveScopes from "./EffectiveScopes.js"
import * as Uses from "./Uses.js"

/**
 * How often the app of a connection was answered about the user in the last 90 days, by purpose; before a reconnect, too.
 * `NotFound` for another user's connection.
 */
export const listUses = (
  userId: UserId,
  id: ConnectionId
): Effect.Effect<Uses.Uses, NotFound | StoreError, ConnectionStore | AccessLogStore | PurposeStore> =>
  Effect.gen(function* () {
    const found = yield* (yield* ConnectionStore).findOfUser(userId, id)
    if (Option.isNone(found)) return yield* new NotFound({ what: "connection" })
    const { app, connection } = found.value
    const now = yield* Timestamp.now
    const counted = yield* (yield* AccessLogStore).countUses(userId, app.id, Uses.since(now))
    const purposes = yield* (yield* PurposeStore).list(app.id)
    const held = EffectiveScopes.isLive(connection, app, now) ? EffectiveScopes.reported(connection, app, now) : []
    return Uses.of(counted, purposes, app, held, now)
  }).pipe(Effect.withSpan("listUses"))
