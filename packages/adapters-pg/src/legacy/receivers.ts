import type { SqlClient } from "@effect/sql/SqlClient"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import type { LegacyStore, Receiver } from "@place-access/domain/legacy"
import { EventId, RuleId, SubscriptionId, Vault } from "@place-access/domain/shared"
import { Array, Effect, Schema } from "effect"
import { reads } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import { isDistributed } from "../schema/isDistributed.js"

type Store = typeof LegacyStore.Service
type Receivers = ReadonlyMap<EventId, ReadonlyArray<Receiver.LegacyReceiver>>

/** Implements `LegacyStore.receivers`. Only an event that a rule fired can have legacy receivers. */
export const receivers = (sql: SqlClient): Store["receivers"] => {
  const onCluster = isDistributed(sql)
  return (events) => {
    const fired = events.filter(({ payload }) => Event.ruleIdOf(payload) !== null)
    if (fired.length === 0) return Effect.succeed(new Map())
    return Effect.flatMap(onCluster, (is) => (is ? oneByOne(sql, fired) : together(sql, fired))).pipe(
      Effect.map(byEvent),
      orStoreError
    )
  }
}

const target = { event_id: EventId, url: EndpointUrl.EndpointUrl, sealed: Vault.Sealed }
const ReceiverRow = Schema.Union(
  Schema.Struct({ ...target, of: Schema.Literal("Rule"), id: RuleId }),
  Schema.Struct({ ...target, of: Schema.Literal("Subscription"), id: SubscriptionId })
)
type ReceiverRow = typeof ReceiverRow.Type

const toReceiver = (row: ReceiverRow): Receiver.LegacyReceiver =>
  row.of === "Rule"
    ? { _tag: "Rule", id: row.id, url: row.url, sealed: row.sealed }
    : { _tag: "Subscription", id: row.id, url: row.url, sealed: row.sealed }

const byEvent = (rows: ReadonlyArray<ReceiverRow>): Receivers =>
  new Map(Object.values(Array.groupBy(rows, (row) => row.event_id)).map((of) => [of[0].event_id, of.map(toReceiver)]))

/** Reads the receivers of all events in one statement. */
const together = (sql: SqlClient, fired: ReadonlyArray<Event.OutboxEvent>) =>
  reads(sql)`
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
    ORDER BY created_at, id`.pipe(Rows.all(ReceiverRow))

/**
 * Reads the receivers of each event in a separate statement, which goes to the node of the event's user. The statements
 * are sent with `reads`, on connections that several requests share.
 */
const oneByOne = (sql: SqlClient, fired: ReadonlyArray<Event.OutboxEvent>) =>
  Effect.forEach(fired, (event) => receiversOf(sql, event), { concurrency: "unbounded" }).pipe(
    Effect.map((found) => found.flat())
  )

const receiversOf = (sql: SqlClient, { connectionId, id, payload, userId, webhookUrl }: Event.OutboxEvent) =>
  reads(sql)`
    SELECT ${id}::text AS event_id, 'Rule' AS of, rule_id AS id, webhook_url AS url, own_secret AS sealed, created_at
    FROM rules WHERE user_id = ${userId} AND rule_id = ${Event.ruleIdOf(payload)} AND own_secret IS NOT NULL
    UNION ALL
    SELECT ${id}::text, 'Subscription', subscription_id, url, secret, created_at
    FROM subscriptions
    WHERE user_id = ${userId} AND connection_id = ${connectionId} AND NOT ${webhookUrl !== null}::boolean
    ORDER BY created_at, id`.pipe(Rows.all(ReceiverRow))
