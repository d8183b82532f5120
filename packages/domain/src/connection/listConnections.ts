import { Effect, Option } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import { PlaceStore } from "../places/PlaceStore.js"
import * as Cursor from "../shared/Cursor.js"
import type { ConnectionId, UserId } from "../shared/Ids.js"
import { Invalid, NotFound } from "../shared/Invalid.js"
import * as Page from "../shared/Page.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Vault, VaultError } from "../shared/Vault.js"
import { ConnectionStore, type WithApp } from "./ConnectionStore.js"
import * as ConnectionView from "./ConnectionView.js"

const MAX_LIMIT = 500

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

export interface ConnectionPage {
  readonly connections: ReadonlyArray<ConnectionView.UserConnection>
  /** Null on the last page. Good for the same user only. */
  readonly nextCursor: string | null
}

/** The same in pages of at most `MAX_LIMIT`. */
export const pageConnections = (
  userId: UserId,
  limit: number,
  cursor: string | undefined
): Effect.Effect<
  ConnectionPage,
  Invalid | StoreError | VaultError,
  ConnectionStore | PlaceStore | AccessLogStore | Vault
> =>
  Effect.gen(function* () {
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      return yield* Invalid.of("limit", `must be a whole number from 1 to ${MAX_LIMIT}`)
    }
    const query = JSON.stringify(["connections", userId])
    const [last] = cursor === undefined ? [] : yield* Cursor.open(cursor, query)
    const all = yield* (yield* ConnectionStore).listOfUser(userId)
    // Connections stay listed for ever, in the order in which they were made.
    const begin = last === undefined ? 0 : all.findIndex(({ connection }) => connection.id === last) + 1
    const page = Page.of(all.slice(begin), limit, ({ connection }) => [connection.id])
    return {
      connections: yield* viewed(userId, page.items),
      nextCursor: page.next === undefined ? null : yield* Cursor.seal(page.next, query)
    }
  }).pipe(Effect.withSpan("pageConnections"))

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
