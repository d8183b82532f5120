import { SqlClient } from "@effect/sql/SqlClient"
import { LegacyStore } from "@place-access/domain/legacy"
import { AppId, ConnectionId, UserId } from "@place-access/domain/shared"
import { Effect, Either, Layer, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { isUniqueViolation, orStoreError } from "../Failures.js"
import { insertRule } from "../rules/insertRule.js"
import { importState } from "./importState.js"
import { receivers } from "./receivers.js"
import * as Subscriptions from "./Subscriptions.js"

type Store = typeof LegacyStore.Service

export const layer: Layer.Layer<LegacyStore, never, SqlClient> = Layer.effect(
  LegacyStore,
  Effect.map(SqlClient, (sql) =>
    LegacyStore.of({
      subscribe: Subscriptions.add(sql),
      unsubscribe: Subscriptions.remove(sql),
      subscriptions: Subscriptions.list(sql),
      isSubscribed: Subscriptions.exists(sql),
      receivers: receivers(sql),
      findOwner: findOwner(sql),
      importRules: importRules(sql)
    })
  )
)

const OwnerRow = Schema.Struct({ user_id: UserId, connection_id: ConnectionId, app_id: AppId })

const findOwner =
  (sql: SqlClient): Store["findOwner"] =>
  (name) =>
    ("connectionId" in name ? ownerOf(sql, name.connectionId) : newestOwner(sql, name.appId, name.sub)).pipe(
      Effect.map(Option.map((row) => ({ userId: row.user_id, id: row.connection_id, appId: row.app_id }))),
      orStoreError
    )

const RouteRow = Schema.Struct({ user_id: UserId })

/**
 * Finds a connection by its id. A separate statement reads the route, because the route is on another shard than the
 * connection.
 */
const ownerOf = (sql: SqlClient, id: ConnectionId) =>
  Effect.gen(function* () {
    const route = yield* sql`SELECT user_id FROM connection_routes WHERE connection_id = ${id}`.pipe(
      Rows.first(RouteRow)
    )
    if (Option.isNone(route)) return Option.none()
    return yield* sql`SELECT user_id, connection_id, app_id FROM connections
                      WHERE user_id = ${route.value.user_id} AND connection_id = ${id}`.pipe(Rows.first(OwnerRow))
  })

/** Finds a connection of the app by its `sub`. Prefers connections that have not ended, and among these the newest. */
const newestOwner = (sql: SqlClient, appId: AppId, sub: string) =>
  sql`SELECT user_id, connection_id, app_id FROM connections WHERE app_id = ${appId} AND sub = ${sub}
      ORDER BY ended_at IS NOT NULL, connected_at DESC LIMIT 1`.pipe(Rows.first(OwnerRow))

const importRules =
  (sql: SqlClient): Store["importRules"] =>
  (requested, decide) =>
    Effect.gen(function* () {
      const { now, state } = yield* importState(sql, requested)
      const decided = decide(state, now)
      if (Either.isRight(decided)) {
        yield* Effect.forEach(decided.right, ({ rule, sealed }) => insertRule(sql, rule, sealed), { discard: true })
      }
      return decided
    }).pipe(
      sql.withTransaction,
      // After this import read the known rules, another import stored a rule with the same id under another connection
      // of the user. The second attempt reads that rule, and then decides about it.
      Effect.retry({ times: 1, while: (error) => isUniqueViolation(error, "rules_pkey") }),
      Effect.uninterruptible,
      orStoreError
    )
