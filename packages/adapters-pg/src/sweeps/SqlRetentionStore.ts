import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { type Retention, RetentionStore } from "@place-access/domain/sweeps"
import type { Timestamp } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import { orStoreError } from "../Failures.js"
import * as Rows from "../driver/Rows.js"
import { isDistributed } from "../schema/isDistributed.js"

interface Table {
  readonly table: string
  readonly key: string
  readonly moment: string
  /** The types of those columns of the key that are not text. */
  readonly types?: Readonly<Record<string, string>>
  /** A further condition on the row `t`. */
  readonly only?: string
}

type Keys = ReadonlyArray<Readonly<Record<string, string | number | boolean | Date>>>

interface Page {
  readonly limit: number
  readonly offset: number
}

/** Every table has an index on its moment. */
const TABLES: Readonly<Record<Retention.RetentionKind, Table>> = {
  access_tokens: { table: "access_tokens", key: "user_id, token_hash", moment: "issued_at" },
  refresh_tokens: { table: "refresh_tokens", key: "user_id, token_hash", moment: "revoked_at" },
  authorization_codes: { table: "authorization_codes", key: "user_id, code_hash", moment: "dead_at" },
  consent_requests: { table: "consent_requests", key: "request_id", moment: "created_at" },
  sessions: { table: "sessions", key: "session_hash", moment: "expires_at" },
  pending_accounts: { table: "pending_accounts", key: "link_hash", moment: "expires_at" },
  account_links: { table: "account_links", key: "link_hash", moment: "expires_at" },
  sign_in_tries: { table: "sign_in_tries", key: "try_id", moment: "tried_at" },
  rate_windows: { table: "rate_windows", key: "subject", moment: "ends_at" },
  budgets: { table: "budgets", key: "user_id, connection_id, budget", moment: "last_at" },
  idempotent_answers: { table: "idempotent_answers", key: "user_id, subject, key_hash", moment: "created_at" },
  delivered_deliveries: {
    table: "deliveries",
    key: "app_id, delivery_id",
    moment: "ended_at",
    // A program from before migration 0025 does not mark a replayed delivery. The row of the replay is then the only
    // sign that the original was replayed, so that row must stay as long as the original.
    only: `t.state = 'delivered' AND (t.replay_no = 0 OR NOT EXISTS (
      SELECT 1 FROM deliveries d WHERE d.app_id = t.app_id AND d.event_id = t.event_id
        AND d.endpoint_id = t.endpoint_id AND d.replay_no < t.replay_no AND NOT d.is_replayed))`
  },
  failed_deliveries: {
    table: "deliveries",
    key: "app_id, delivery_id",
    moment: "ended_at",
    only: "t.state IN ('failed', 'too_old')"
  },
  events: {
    table: "events",
    key: "user_id, event_id",
    moment: "fanned_out_at"
  },
  mail: { table: "mail_outbox", key: "user_id, dedupe_key", moment: "created_at" },
  named_mail: { table: "named_mail", key: "user_id", moment: "last_at" },
  app_invitations: { table: "app_invitations", key: "app_id, invitation_id", moment: "created_at" },
  audit_events: { table: "audit_events", key: "user_id, event_id", moment: "kept_until" },
  app_calls: { table: "app_calls", key: "app_id, at, request_id", moment: "at", types: { at: "timestamptz" } },
  app_hours: { table: "app_hours", key: "app_id, hour", moment: "hour", types: { hour: "timestamptz" } },
  endpoint_hours: {
    table: "endpoint_hours",
    key: "app_id, endpoint_id, hour, is_success, up_to_millis",
    moment: "hour",
    types: { hour: "timestamptz", is_success: "boolean", up_to_millis: "integer" }
  }
}

export const layer: Layer.Layer<RetentionStore, never, SqlClient> = Layer.effect(
  RetentionStore,
  Effect.map(SqlClient, (sql) => RetentionStore.of({ remove: remove(sql) }))
)

/**
 * Reads the keys of the rows first and deletes by key. The DELETE checks the age of each row again.
 *
 * On a single server the transaction locks the rows that it will delete, and skips rows that another transaction has
 * locked. Without that, one locked row would stop the sweep, and a statement that locks rows in another order could
 * deadlock with it. Citus cannot lock rows across its nodes, so there the DELETE waits for locked rows as long as the
 * lock time-out allows.
 */
const remove = (sql: SqlClient): (typeof RetentionStore.Service)["remove"] => {
  const onCluster = isDistributed(sql)
  return (kind, until, limit) =>
    Effect.flatMap(onCluster, (isCluster) =>
      isCluster
        ? removeOldest(sql, kind, until, limit, NO_LOCK)
        : sql.withTransaction(removeOldest(sql, kind, until, limit, SKIP_LOCKED))
    ).pipe(orStoreError)
}

const NO_LOCK = ""
const SKIP_LOCKED = "FOR UPDATE OF t SKIP LOCKED"
type Lock = typeof NO_LOCK | typeof SKIP_LOCKED

const removeOldest = (
  sql: SqlClient,
  kind: Retention.RetentionKind,
  until: Timestamp.Timestamp,
  limit: number,
  lock: Lock
) =>
  Effect.gen(function* () {
    const from = TABLES[kind]
    const still = sql`t.${sql(from.moment)} <= ${Rows.at(until)}`
    const rows = yield* kind === "events"
      ? Effect.flatMap(oldestEvents(sql, until, limit), (found) => lockRows(sql, from, found, still, lock))
      : oldest(sql, from, until, { limit, offset: 0 }, lock)
    if (rows.length === 0) return 0
    // Attempts are deleted before their delivery: nothing else leads to them.
    if (from.table === "deliveries") {
      yield* removeKeys(sql, { ...from, table: "delivery_attempts" }, rows, sql`true`)
    }
    return yield* removeKeys(sql, from, rows, still)
  })

/** The keys of the oldest rows of all users or apps. */
const oldest = (
  sql: SqlClient,
  { key, moment, only = "true", table }: Table,
  until: Timestamp.Timestamp,
  page: Page,
  lock: Lock
) =>
  sql`SELECT ${sql.literal(table === "events" ? `${key}, app_id` : key)} FROM ${sql(table)} t
      WHERE ${sql(moment)} <= ${Rows.at(until)} AND ${sql.literal(only)}
      ORDER BY ${sql(moment)} LIMIT ${page.limit} OFFSET ${page.offset}
      ${sql.literal(lock)}` as Effect.Effect<Keys, SqlError>

/** Locks rows that were found without a lock, and returns the keys of those that it could lock. */
const lockRows = (
  sql: SqlClient,
  table: Table,
  rows: Keys,
  also: Fragment,
  lock: Lock
): Effect.Effect<Keys, SqlError> =>
  lock === NO_LOCK || rows.length === 0
    ? Effect.succeed(rows)
    : (sql`SELECT ${sql.literal(table.key.replaceAll(/\w+/g, "t.$&"))} FROM ${sql(table.table)} t,
           ${keyList(sql, table, rows)} WHERE ${hasKey(sql, table, rows)} AND ${also}
           ${sql.literal(lock)}` as Effect.Effect<Keys, SqlError>)

/** The keys of the oldest events of which no delivery is left. */
const oldestEvents = (sql: SqlClient, until: Timestamp.Timestamp, limit: number) =>
  Effect.gen(function* () {
    const found: Array<Keys[number]> = []
    for (let offset = 0; found.length < limit; offset += limit) {
      const rows = yield* oldest(sql, TABLES.events, until, { limit, offset }, NO_LOCK)
      if (rows.length > 0) found.push(...(yield* undelivered(sql, rows)))
      if (rows.length < limit) break
    }
    return found.slice(0, limit)
  })

/**
 * Events of which no delivery is left. The deliveries of an event belong to an app, so they may lie on another node.
 */
const undelivered = (sql: SqlClient, events: Keys) =>
  Effect.gen(function* () {
    const apps = events.map((row) => row["app_id"])
    const rows = yield* sql`SELECT d.event_id FROM deliveries d
        JOIN unnest(${apps}::text[], ${events.map((row) => row["event_id"])}::text[]) AS e (app_id, event_id)
          ON e.app_id = d.app_id AND e.event_id = d.event_id
        WHERE d.app_id = ANY(${[...new Set(apps)]}::text[])` as Effect.Effect<Keys, SqlError>
    const delivered = new Set(rows.map((row) => row["event_id"]))
    return events.filter((row) => !delivered.has(row["event_id"]))
  })

const removeKeys = (sql: SqlClient, table: Table, rows: Keys, also: Fragment) =>
  Rows.affected(
    sql`DELETE FROM ${sql(table.table)} t USING ${keyList(sql, table, rows)}
        WHERE ${hasKey(sql, table, rows)} AND ${also}`
  )

/** The keys as a table `old`. */
const keyList = (sql: SqlClient, { key, types = {} }: Table, rows: Keys) => {
  const lists = key.split(", ").map((name) => sql`${valuesOf(rows, name)}::${sql.literal(types[name] ?? "text")}[]`)
  return sql`unnest(${sql.csv(lists)}) AS old (${sql.literal(key)})`
}

/** The row `t` has the key `old`. The condition on the first column of the key leads Citus to the rows' shards. */
const hasKey = (sql: SqlClient, { key }: Table, rows: Keys) => {
  const names = key.split(", ")
  const [first = ""] = names
  const same = sql.and(names.map((name) => sql`t.${sql(name)} = old.${sql(name)}`))
  return sql`${same} AND t.${sql(first)} = ANY(${[...new Set(valuesOf(rows, first))]}::text[])`
}

const valuesOf = (rows: Keys, column: string) => rows.map((row) => row[column])
