import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment, Statement } from "@effect/sql/Statement"
import { shareCredentials } from "../accounts/credentialLock.js"
import { type EventPlace, type Retention, RetentionStore } from "@place-access/domain/sweeps"
import { AppId, EventId, type Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer, type ParseResult, Schema } from "effect"
import { orStoreError } from "../Failures.js"
import * as Rows from "../driver/Rows.js"
import { isDistributed } from "../schema/isDistributed.js"

interface Table {
  readonly table: string
  readonly key: string
  readonly moment: string
  /** The SQL types of those columns of the key that are not text. */
  readonly types?: Readonly<Record<string, string>>
  /** A further SQL condition that a row `t` must meet. */
  readonly only?: string
  /** Further columns, not part of the key, that the deletion reads. */
  readonly also?: string
  /**
   * A lock to take before the DELETE, on a cluster only. There the DELETE locks the whole table, and then the whole
   * table to which a foreign key leads. Other transactions lock these tables in the opposite order, so without this
   * lock a deletion and another transaction could deadlock.
   */
  readonly before?: (sql: SqlClient, rows: Keys) => Effect.Effect<unknown, SqlError>
}

type Keys = ReadonlyArray<Readonly<Record<string, string | number | boolean | Date | null>>>

const EVENTS: Table = { table: "events", key: "user_id, event_id", moment: "fanned_out_at" }

/** Every table has an index on the expression in `moment`. */
const TABLES: Readonly<Record<Retention.RetentionKind, Table>> = {
  access_tokens: { table: "access_tokens", key: "user_id, token_hash", moment: "issued_at" },
  refresh_tokens: {
    table: "refresh_tokens",
    key: "user_id, token_hash",
    moment: "revoked_at",
    also: "family_id, rotated_at"
  },
  authorization_codes: { table: "authorization_codes", key: "user_id, code_hash", moment: "dead_at" },
  consent_requests: { table: "consent_requests", key: "request_id", moment: "created_at" },
  sessions: { table: "sessions", key: "session_hash", moment: "expires_at", before: shareCredentials },
  pending_accounts: { table: "pending_accounts", key: "link_hash", moment: "expires_at" },
  account_links: { table: "account_links", key: "link_hash", moment: "expires_at", before: shareCredentials },
  sign_in_tries: { table: "sign_in_tries", key: "try_id", moment: "tried_at" },
  rate_windows: { table: "rate_windows", key: "subject", moment: "ends_at" },
  budgets: { table: "budgets", key: "user_id, connection_id, budget", moment: "last_at" },
  idempotent_answers: { table: "idempotent_answers", key: "user_id, subject, key_hash", moment: "created_at" },
  delivered_deliveries: {
    table: "deliveries",
    key: "app_id, delivery_id",
    moment: "ended_at",
    // A release from before migration 0025 does not mark a replayed delivery. Then only the row of the replay shows
    // that the original was replayed, so the replay's row must stay as long as the row of the original.
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
  mail: { table: "mail_outbox", key: "user_id, dedupe_key", moment: "created_at" },
  named_mail: { table: "named_mail", key: "user_id", moment: "last_at" },
  app_invitations: {
    table: "app_invitations",
    key: "app_id, invitation_id",
    moment: "created_at",
    before: (sql, rows) =>
      sql`SELECT 1 FROM apps WHERE app_id = ANY(${[...new Set(valuesOf(rows, "app_id"))]}::text[])
          ORDER BY app_id FOR UPDATE`
  },
  volume_flags: {
    table: "volume_flags",
    key: "user_id, connection_id, purpose, counted_to",
    moment: "counted_to",
    types: { counted_to: "timestamptz" }
  },
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
  Effect.map(SqlClient, (sql) => RetentionStore.of({ remove: remove(sql), removeEvents: removeEvents(sql) }))
)

/**
 * Returns a function that runs a deletion of old rows. A deletion first reads the keys of the rows, and then deletes by
 * key. The DELETE checks the age of each row again, but not the age of rows that are deleted because of another row
 * (attempts, spent tokens).
 *
 * On a single server the transaction locks the rows that it will delete, and skips rows that another transaction has
 * locked. If the sweep waited for these rows, one locked row would stop the sweep, and a statement that locks rows in
 * another order could deadlock with the sweep. Citus cannot lock rows across its nodes, so there the DELETE waits for
 * locked rows as long as the lock time-out allows.
 */
const locking = (sql: SqlClient) => {
  const onCluster = isDistributed(sql)
  return <A>(remove: (lock: Lock) => Effect.Effect<A, SqlError | ParseResult.ParseError>) =>
    Effect.flatMap(onCluster, (isCluster) =>
      isCluster ? remove(NO_LOCK) : sql.withTransaction(remove(SKIP_LOCKED))
    ).pipe(orStoreError)
}

const remove = (sql: SqlClient): (typeof RetentionStore.Service)["remove"] => {
  const locked = locking(sql)
  return (kind, until, limit) => locked((lock) => removeOldest(sql, kind, until, limit, lock))
}

const removeEvents = (sql: SqlClient): (typeof RetentionStore.Service)["removeEvents"] => {
  const locked = locking(sql)
  return (until, limit, after) =>
    locked((lock) =>
      Effect.gen(function* () {
        const page = yield* nextEvents(sql, until, limit, after).pipe(Rows.all(EventRow))
        const dead = yield* undelivered(sql, page)
        const free = yield* lockRows(sql, EVENTS, dead, isOver(sql, EVENTS, until), lock)
        const removed = yield* removeKeys(sql, EVENTS, free, isOver(sql, EVENTS, until))
        const last = page.length < limit ? undefined : page.at(-1)
        return { removed, next: last && { fannedOutAt: last.fanned_out_at, userId: last.user_id, id: last.event_id } }
      })
    )
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
    if (kind === "refresh_tokens") return yield* removeTokens(sql, until, limit, lock)
    const from = TABLES[kind]
    const still = isOver(sql, from, until)
    const rows = yield* oldest(sql, from, until, limit, lock)
    if (rows.length === 0) return 0
    // Deletes the attempts first: without the row of its delivery, no later sweep finds an attempt.
    if (from.table === "deliveries") {
      yield* removeKeys(sql, { ...from, table: "delivery_attempts" }, rows, sql`true`)
    }
    const remove = removeKeys(sql, from, rows, still)
    if (lock !== NO_LOCK || from.before === undefined) return yield* remove
    return yield* Effect.zipRight(from.before(sql, rows), remove).pipe(sql.withTransaction)
  })

const isOver = (sql: SqlClient, { moment }: Table, until: Timestamp.Timestamp) =>
  sql`t.${sql(moment)} <= ${Rows.at(until)}`

/** Selects the keys of the oldest rows, of all users or apps. */
const oldest = (
  sql: SqlClient,
  { also, key, moment, only = "true", table }: Table,
  until: Timestamp.Timestamp,
  limit: number,
  lock: Lock
) =>
  sql`SELECT ${sql.literal(also === undefined ? key : `${key}, ${also}`)} FROM ${sql(table)} t
      WHERE ${sql(moment)} <= ${Rows.at(until)} AND ${sql.literal(only)}
      ORDER BY ${sql(moment)} LIMIT ${limit}
      ${sql.literal(lock)}` as Effect.Effect<Keys, SqlError>

/**
 * Locks rows that were found without a lock, and returns the keys of the rows that it could lock. On a cluster
 * (`NO_LOCK`) it locks nothing and returns all keys.
 */
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

const EventRow = Schema.Struct({ user_id: UserId, event_id: EventId, app_id: AppId, fanned_out_at: Rows.At })

/**
 * Selects the next `limit` events of the sweep, after the event `after`. The row comparison begins with
 * `fanned_out_at`, the column of the index, so PostgreSQL begins to read at that time. Apart from the events of the
 * page, PostgreSQL reads only events that have the same time as the page's first or last event.
 */
export const nextEvents = (
  sql: SqlClient,
  until: Timestamp.Timestamp,
  limit: number,
  after: EventPlace | undefined
): Statement<object> => {
  const isLater =
    after === undefined
      ? sql`true`
      : sql`(fanned_out_at, user_id COLLATE "C", event_id COLLATE "C") >
            (${Rows.at(after.fannedOutAt)}, ${after.userId}, ${after.id})`
  return sql`SELECT user_id, event_id, app_id, fanned_out_at FROM events t
      WHERE fanned_out_at <= ${Rows.at(until)} AND ${isLater}
      ORDER BY fanned_out_at, user_id COLLATE "C", event_id COLLATE "C" LIMIT ${limit}`
}

/**
 * Returns the events that have no deliveries any more. Citus distributes events by user and deliveries by app, so an
 * event and its deliveries may be on different nodes. Therefore a separate statement reads the deliveries.
 */
const undelivered = (sql: SqlClient, events: ReadonlyArray<typeof EventRow.Type>) =>
  Effect.gen(function* () {
    if (events.length === 0) return []
    const apps = events.map((row) => row.app_id)
    const rows = yield* sql`SELECT d.event_id FROM deliveries d
        JOIN unnest(${apps}::text[], ${events.map((row) => row.event_id)}::text[]) AS e (app_id, event_id)
          ON e.app_id = d.app_id AND e.event_id = d.event_id
        WHERE d.app_id = ANY(${[...new Set(apps)]}::text[])` as Effect.Effect<Keys, SqlError>
    const delivered = new Set(rows.map((row) => row["event_id"]))
    return events.filter((row) => !delivered.has(row.event_id))
  })

/**
 * Deletes the oldest families of refresh tokens that were revoked at `until` or earlier. Only the head of a family, its
 * one token that is not spent, stores when the family was revoked. So the sweep finds the spent tokens by the head, and
 * deletes the head last. Older releases stored the time in the spent tokens too; the sweep finds and deletes these
 * tokens by their time, as it does heads.
 */
const removeTokens = (sql: SqlClient, until: Timestamp.Timestamp, limit: number, lock: Lock) =>
  Effect.gen(function* () {
    const from = TABLES.refresh_tokens
    const revoked = yield* oldest(sql, from, until, limit, lock)
    const heads = revoked.filter((row) => row["rotated_at"] === null)
    const spent = yield* spentOf(sql, heads, limit)
    const free = yield* lockRows(sql, from, spent, sql`true`, lock)
    const removed = yield* removeKeys(sql, from, free, sql`true`)
    if (spent.length === limit) return removed
    const isFree = new Set(free.map((row) => row["token_hash"]))
    const left = new Set(spent.flatMap((row) => (isFree.has(row["token_hash"]) ? [] : [row["family_id"]])))
    const rest = revoked.filter((row) => !left.has(row["family_id"])).slice(0, limit - removed)
    return removed + (yield* removeKeys(sql, from, rest, isOver(sql, from, until)))
  })

/** Selects at most `limit` spent tokens of the families whose heads (unspent tokens) are `heads`. */
const spentOf = (sql: SqlClient, heads: Keys, limit: number): Effect.Effect<Keys, SqlError> => {
  if (heads.length === 0) return Effect.succeed([])
  const users = valuesOf(heads, "user_id")
  return sql`SELECT t.user_id, t.token_hash, t.family_id FROM refresh_tokens t
      JOIN unnest(${users}::text[], ${valuesOf(heads, "family_id")}::text[]) AS old (user_id, family_id)
        ON old.user_id = t.user_id AND old.family_id = t.family_id
      WHERE t.user_id = ANY(${[...new Set(users)]}::text[]) AND t.revoked_at IS NULL
      LIMIT ${limit}` as Effect.Effect<Keys, SqlError>
}

const removeKeys = (sql: SqlClient, table: Table, rows: Keys, also: Fragment) =>
  rows.length === 0
    ? Effect.succeed(0)
    : Rows.affected(
        sql`DELETE FROM ${sql(table.table)} t USING ${keyList(sql, table, rows)}
            WHERE ${hasKey(sql, table, rows)} AND ${also}`
      )

/** The keys as a table `old` in a FROM clause. */
const keyList = (sql: SqlClient, { key, types = {} }: Table, rows: Keys) => {
  const lists = key.split(", ").map((name) => sql`${valuesOf(rows, name)}::${sql.literal(types[name] ?? "text")}[]`)
  return sql`unnest(${sql.csv(lists)}) AS old (${sql.literal(key)})`
}

/**
 * An SQL condition: the row `t` has the key of the row `old`. Because of the condition on the key's first column, Citus
 * sends the statement only to the shards of these rows.
 */
const hasKey = (sql: SqlClient, { key }: Table, rows: Keys) => {
  const names = key.split(", ")
  const [first = ""] = names
  const same = sql.and(names.map((name) => sql`t.${sql(name)} = old.${sql(name)}`))
  return sql`${same} AND t.${sql(first)} = ANY(${[...new Set(valuesOf(rows, first))]}::text[])`
}

const valuesOf = (rows: Keys, column: string) => rows.map((row) => row[column])
