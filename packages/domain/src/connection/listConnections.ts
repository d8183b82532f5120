import { Effect, Option } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import { PlaceStore } from "../places/PlaceStore.js"
import type { ConnectionId, UserId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { ConnectionStore, type WithApp } from "./ConnectionStore.js"
import * as ConnectionView from "./ConnectionView.js"

/** The user's connections, newest first; ended ones stay listed with their end. */
export const listConnections = (
  userId: UserId
): Effect.Effect<
  ReadonlyArray<ConnectionView.UserConnection>,
  StoreError,
  ConnectionStore | PlaceStore | AccessLogStore
> =>
  Effect.gen(function* () {
    return yield* viewed(userId, yield* (yield* ConnectionStore).listOfUser(userId))
  }).pipe(Effect.withSpan("listConnections"))

/** One of the user's connections, live or ended; `NotFound` for another user's. */
export const getConnection = (
  userId: UserId,
  id: ConnectionId
): Effect.Effect<ConnectionView.UserConnection, NotFound | StoreError, ConnectionStore | PlaceStore | AccessLogStore> =>
  Effect.gen(function* () {
    const found = yield* (yield* ConnectionStore).findOfUser(userId, id)
    const [connection] = yield* viewed(userId, Option.toArray(found))
    return connection ?? (yield* new NotFound({ what: "connection" }))
  }).pipe(Effect.withSpan("getConnection"))

const viewed = (userId: UserId, connections: ReadonlyArray<WithApp>) =>
  Effect.gen(function* () {
    if (connections.length === 0) return []
    const own = yield* (yield* PlaceStore).list(userId)
    const last = yield* (yield* AccessLogStore).lastAnswered(
      userId,
      connections.map(({ connection }) => ({
        connectionId: connection.id,
        appId: connection.appId,
        until: connection.endedAt
      }))
    )
    const now = yield* Timestamp.now
    return connections.map((one) => ConnectionView.forUser(one, own, last.get(one.connection.id) ?? null, now))
  })
