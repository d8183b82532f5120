import { SqlClient } from "@effect/sql/SqlClient"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import { LegacyStore, Receiver } from "@place-access/domain/legacy"
import {
  AppId,
  ConnectionId,
  EventId,
  RuleId,
  SubscriptionId,
  Timestamp,
  UserId,
  Vault
} from "@place-access/domain/shared"
import { Tier } from "@place-access/domain/tiers"
import { Array, Effect, Either, Layer, Option, Schema } from "effect"
import { reads } from "./client/Client.js"
import { orStoreError } from "./Failures.js"
import { importState } from "./legacy/importState.js"
import * as Rows from "./Rows.js"
import { insertRule } from "./rules/insertRule.js"

const ExpiryRow = Schema.Struct({ standard_expires_at: Rows.NullableAt })
const Count = Schema.Struct({ count: Rows.Bigint })

const OwnerRow = Schema.Struct({ user_id: UserId, connection_id: ConnectionId, app_id: AppId })

const target = { event_id: EventId, url: EndpointUrl.EndpointUrl, sealed: Vault.Sealed }
const ReceiverRow = Schema.Union(
  Schema.Struct({ ...target, of: Schema.Literal("Rule"), id: RuleId }),
  Schema.Struct({ ...target, of: Schema.Literal("Subscription"), id: SubscriptionId })
)

const toReceiver = (row: typeof ReceiverRow.Type): Receiver.Receiver =>
  row.of === "Rule"
    ? { _tag: "Rule", id: row.id, url: row.url, sealed: row.sealed }
    : { _tag: "Subscription", id: row.id, url: row.url, sealed: row.sealed }

export const layer: Layer.Layer<LegacyStore, never, SqlClient> = Layer.effect(
  LegacyStore,
  Effect.map(SqlClient, (sql) =>
    LegacyStore.of({
      subscribe: ({ appId, connectionId, createdAt, id, sealed, url, userId }) =>
        Effect.gen(function* () {
          const connection = yield* sql`SELECT standard_expires_at FROM connections
                                        WHERE user_id = ${userId} AND connection_id = ${connectionId} AND ended_at IS NULL
                                        FOR UPDATE`.pipe(Rows.first(ExpiryRow))
          if (Option.isNone(connection)) return "ended" as const
          const { standard_expires_at: standardExpiresAt } = connection.value
          const isLive = Tier.standardIsLive({ standardExpiresAt, sensitiveExpiresAt: null }, yield* Timestamp.now)
          if (!isLive) return "ended" as const
          const counted = yield* sql`SELECT count(*) FROM subscriptions
                                     WHERE user_id = ${userId} AND connection_id = ${connectionId}`.pipe(
            Rows.first(Count)
          )
          if (Option.exists(counted, ({ count }) => count >= Receiver.MAX_PER_CONNECTION)) return "full" as const
          yield* sql`INSERT INTO subscriptions (user_id, connection_id, subscription_id, app_id, url, secret, created_at)
                     VALUES (${userId}, ${connectionId}, ${id}, ${appId}, ${url}, ${sealed}, ${Rows.at(createdAt)})`
          return "created" as const
        }).pipe(sql.withTransaction, orStoreError),

      unsubscribe: (userId, connectionId, id) =>
        Rows.affected(
          sql`DELETE FROM subscriptions
              WHERE user_id = ${userId} AND connection_id = ${connectionId} AND subscription_id = ${id}`
        ).pipe(
          Effect.map((rows) => rows > 0),
          orStoreError
        ),

      isSubscribed: (userId, connectionId, id) =>
        sql`SELECT 1 FROM subscriptions
            WHERE user_id = ${userId} AND connection_id = ${connectionId} AND subscription_id = ${id}`.pipe(
          Effect.map((rows) => rows.length > 0),
          orStoreError
        ),

      receivers: (events) => {
        const fired = events.filter(({ payload }) => Event.ruleIdOf(payload) !== null)
        if (fired.length === 0) return Effect.succeed(new Map())
        return reads(sql)`
          WITH fired AS (
            SELECT * FROM unnest(${fired.map(({ userId }) => userId)}::text[], ${fired.map(({ id }) => id)}::text[],
                                 ${fired.map(({ connectionId }) => connectionId)}::text[],
                                 ${fired.map(({ payload }) => Event.ruleIdOf(payload))}::text[],
                                 ${fired.map(({ webhookUrl }) => webhookUrl !== null)}::boolean[])
              AS event (user_id, event_id, connection_id, rule_id, names_address)
          )
          SELECT f.event_id, 'Rule' AS of, r.rule_id AS id, r.webhook_url AS url, r.own_secret AS sealed, r.created_at
          FROM fired f JOIN rules r ON r.user_id = f.user_id AND r.rule_id = f.rule_id
          WHERE r.own_secret IS NOT NULL
          UNION ALL
          SELECT f.event_id, 'Subscription', s.subscription_id, s.url, s.secret, s.created_at
          FROM fired f JOIN subscriptions s ON s.user_id = f.user_id AND s.connection_id = f.connection_id
          WHERE NOT f.names_address
          ORDER BY created_at, id`.pipe(
          Rows.all(ReceiverRow),
          Effect.map(
            (rows): ReadonlyMap<EventId, ReadonlyArray<Receiver.Receiver>> =>
              new Map(
                Object.values(Array.groupBy(rows, (row) => row.event_id)).map((of) => [
                  of[0].event_id,
                  of.map(toReceiver)
                ])
              )
          ),
          orStoreError
        )
      },

      findOwner: (name) =>
        ("connectionId" in name
          ? sql`SELECT c.user_id, c.connection_id, c.app_id FROM connection_routes r
                JOIN connections c ON c.user_id = r.user_id AND c.connection_id = r.connection_id
                WHERE r.connection_id = ${name.connectionId}`
          : sql`SELECT user_id, connection_id, app_id FROM connections
                WHERE app_id = ${name.appId} AND sub = ${name.sub}
                ORDER BY ended_at IS NOT NULL, connected_at DESC LIMIT 1`
        ).pipe(
          Rows.first(OwnerRow),
          Effect.map(Option.map((row) => ({ userId: row.user_id, id: row.connection_id, appId: row.app_id }))),
          orStoreError
        ),

      importRules: (asked, decide) =>
        Effect.gen(function* () {
          const { now, state } = yield* importState(sql, asked)
          const decided = decide(state, now)
          if (Either.isRight(decided)) {
            yield* Effect.forEach(decided.right, ({ rule, sealed }) => insertRule(sql, rule, sealed), { discard: true })
          }
          return decided
        }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError)
    })
  )
)
