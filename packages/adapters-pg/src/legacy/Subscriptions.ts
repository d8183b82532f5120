import type { SqlClient } from "@effect/sql/SqlClient"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { type LegacyStore, Receiver } from "@place-access/domain/legacy"
import { AppId, type ConnectionId, SubscriptionId, Timestamp, type UserId, Vault } from "@place-access/domain/shared"
import { Tier } from "@place-access/domain/tiers"
import { Effect, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"

/** The methods of `LegacyStore` for subscriptions. */

type Store = typeof LegacyStore.Service

export const add =
  (sql: SqlClient): Store["subscribe"] =>
  ({ appId, connectionId, createdAt, id, sealed, url, userId }) =>
    Effect.gen(function* () {
      const connection = yield* lockConnection(sql, userId, connectionId)
      if (Option.isNone(connection)) return "ended" as const
      const { standard_expires_at: standardExpiresAt } = connection.value
      const isLive = Tier.standardIsLive({ standardExpiresAt, sensitiveExpiresAt: null }, yield* Timestamp.now)
      if (!isLive) return "ended" as const
      const counted = yield* count(sql, userId, connectionId)
      if (Option.exists(counted, ({ count }) => count >= Receiver.MAX_PER_CONNECTION)) return "full" as const
      yield* sql`INSERT INTO subscriptions (user_id, connection_id, subscription_id, app_id, url, secret, created_at)
                 VALUES (${userId}, ${connectionId}, ${id}, ${appId}, ${url}, ${sealed}, ${Rows.at(createdAt)})`
      return "created" as const
    }).pipe(sql.withTransaction, orStoreError)

const ExpiryRow = Schema.Struct({ standard_expires_at: Rows.NullableAt })

/**
 * Locks the connection, so that its subscriptions are added one after the other and the limit of their number is kept.
 */
const lockConnection = (sql: SqlClient, userId: UserId, connectionId: ConnectionId) =>
  sql`SELECT standard_expires_at FROM connections
      WHERE user_id = ${userId} AND connection_id = ${connectionId} AND ended_at IS NULL
      FOR UPDATE`.pipe(Rows.first(ExpiryRow))

const Count = Schema.Struct({ count: Rows.Bigint })

const count = (sql: SqlClient, userId: UserId, connectionId: ConnectionId) =>
  sql`SELECT count(*) FROM subscriptions WHERE user_id = ${userId} AND connection_id = ${connectionId}`.pipe(
    Rows.first(Count)
  )

export const remove =
  (sql: SqlClient): Store["unsubscribe"] =>
  (userId, connectionId, id) =>
    Rows.affected(
      sql`DELETE FROM subscriptions
          WHERE user_id = ${userId} AND connection_id = ${connectionId} AND subscription_id = ${id}`
    ).pipe(
      Effect.map((rows) => rows > 0),
      orStoreError
    )

const ListedRow = Schema.Struct({
  subscription_id: SubscriptionId,
  app_id: AppId,
  url: EndpointUrl.EndpointUrl,
  secret: Vault.Sealed,
  created_at: Rows.At
})

export const list =
  (sql: SqlClient): Store["subscriptions"] =>
  (userId, connectionId) =>
    sql`SELECT subscription_id, app_id, url, secret, created_at FROM subscriptions
        WHERE user_id = ${userId} AND connection_id = ${connectionId} ORDER BY created_at, subscription_id`.pipe(
      Rows.all(ListedRow),
      Effect.map((rows) =>
        rows.map((row) => ({
          userId,
          id: row.subscription_id,
          connectionId,
          appId: row.app_id,
          url: row.url,
          sealed: row.secret,
          createdAt: row.created_at
        }))
      ),
      orStoreError
    )

export const exists =
  (sql: SqlClient): Store["isSubscribed"] =>
  (userId, connectionId, id) =>
    sql`SELECT 1 FROM subscriptions
        WHERE user_id = ${userId} AND connection_id = ${connectionId} AND subscription_id = ${id}`.pipe(
      Effect.map((rows) => rows.length > 0),
      orStoreError
    )
