import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type ConnectionId, UserId } from "@place-access/domain/shared"
import { Context, Effect, Layer, Option, type ParseResult, Schema } from "effect"
import { reads } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"

const RouteRow = Schema.Struct({ user_id: UserId })

/** The largest number of routes that one process caches. */
const ROUTES_MAX = 100_000

/**
 * Finds the id of a connection's user. A token carries the id of the connection and not of the user, so that two apps
 * cannot find out that they have the same user. The rows of a connection are stored under the user's id; on a cluster
 * that id decides the node. The user of a connection never changes, so a process may cache it. Only the restore of a
 * snapshot of a test world makes cached routes invalid (`forgetAll`).
 */
export class ConnectionRoutes extends Context.Tag("@place-access/adapters-pg/connection/ConnectionRoutes")<
  ConnectionRoutes,
  {
    /**
     * Returns none when neither the cache nor the database has a route of the connection. The none is not cached: the
     * user may approve the connection a moment later.
     */
    readonly userOf: (id: ConnectionId) => Effect.Effect<Option.Option<UserId>, SqlError | ParseResult.ParseError>
  }
>() {}

/** For each database, a cache of rows of the table `connection_routes`: the user of each connection. */
const cached = new WeakMap<SqlClient, Map<ConnectionId, UserId>>()

/**
 * Forgets the cached routes. Call it after all rows of this database were replaced: the id of a cached connection may
 * then belong to another user.
 */
export const forgetAll: Effect.Effect<void, never, SqlClient> = Effect.map(SqlClient, (sql) => cached.get(sql)?.clear())

export const layer: Layer.Layer<ConnectionRoutes, never, SqlClient> = Layer.effect(
  ConnectionRoutes,
  Effect.map(SqlClient, (sql) => {
    const read = reads(sql)
    const routes = cached.get(sql) ?? new Map<ConnectionId, UserId>()
    cached.set(sql, routes)
    const remember = (id: ConnectionId, userId: UserId): UserId => {
      const [oldest] = routes.keys()
      if (routes.size >= ROUTES_MAX && oldest !== undefined) routes.delete(oldest)
      routes.set(id, userId)
      return userId
    }
    const find = (id: ConnectionId) =>
      read`SELECT user_id FROM connection_routes WHERE connection_id = ${id}`.pipe(
        Rows.first(RouteRow),
        Effect.map(Option.map(({ user_id }) => remember(id, user_id)))
      )
    return {
      userOf: (id) =>
        Effect.suspend(() => {
          const known = routes.get(id)
          return known === undefined ? find(id) : Effect.succeedSome(known)
        })
    }
  })
)
