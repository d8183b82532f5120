import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type Program, program, Timestamp } from "@place-access/domain/shared"
import { Effect, type ParseResult, Schema } from "effect"
import * as Failures from "../Failures.js"
import * as Rows from "../driver/Rows.js"

/** How many values of one column are sealed with one key, so that only this key opens them. `keyId` is the key's id. */
export interface SealedCount {
  readonly keyId: string
  /** The column, as `table.column`. */
  readonly where: string
  readonly count: number
}

const ColumnRow = Schema.Struct({ table_name: Schema.String, column_name: Schema.String, is_bytes: Schema.Boolean })
const CountRow = Schema.Struct({ key_id: Schema.String, count: Rows.Bigint })
const CodeRow = Schema.Struct({ connection_id: Schema.String })

/** A pattern for the texts that `Vault.seal` writes, `v1.kid.text`. It also finds such texts inside JSON. */
const SEALED = "v1\\.([A-Za-z0-9_-]{1,32})\\.[A-Za-z0-9_-]{20,}"
/** A pattern for the beginning of the bytes that `Vault.sealBytes` writes. */
const SEALED_BYTES = "^b1\\.([A-Za-z0-9_-]{1,32})\\."
/** The format and the key's id are within this number of bytes from the beginning of the sealed bytes. */
const HEAD_BYTES = 40

/**
 * For this long after an exchange or an approval, a repeated request may need the key again, to derive the same token
 * or code. This is the lifetime of an authorization code, and twice the time for which a rotated refresh token or an
 * exchanged code may be presented again.
 */
const REPEATS = Timestamp.MINUTE

/**
 * Counts, by key, the sealed values of `endpoints.headers` and of every column whose name contains `sealed` or
 * `secret`, and the keys that a repeated request may need (`REPEATS`). The columns come from the database's catalog, so
 * a table that a later migration adds is counted too. The statements read these tables as a whole.
 */
export const count = program("KeyUsage.count", function* (): Program<
  ReadonlyArray<SealedCount>,
  SqlError | ParseResult.ParseError,
  SqlClient
> {
  const sql = yield* SqlClient
  // Reading a large table takes longer than the default `statement_timeout` of 15 s. Each statement has its own
  // transaction, so that a migration need not wait until every table is read.
  const read = <A, E>(statement: Effect.Effect<A, E>) =>
    Failures.orSqlError(sql.withTransaction(Effect.zipRight(sql`SET LOCAL statement_timeout = 0`, statement)))
  // Selects only tables that the search path finds, because the statements below name their table without a schema.
  const columns = yield* sql`SELECT c.relname AS table_name, a.attname AS column_name,
        a.atttypid = 'bytea'::regtype AS is_bytes
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND pg_table_is_visible(c.oid)
        AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid IN ('text'::regtype, 'jsonb'::regtype, 'bytea'::regtype)
        AND (a.attname LIKE '%sealed%' OR a.attname LIKE '%secret%' OR (c.relname, a.attname) = ('endpoints', 'headers'))
      ORDER BY 1, 2`.pipe(Rows.all(ColumnRow))
  const used: Array<SealedCount> = []
  for (const { column_name: column, is_bytes: isBytes, table_name: table } of columns) {
    const value = isBytes
      ? sql`encode(substring(${sql(column)} for ${HEAD_BYTES}), 'escape')`
      : sql`${sql(column)}::text`
    const counted = sql`SELECT found.key_id, count(*) AS count FROM (
        SELECT (regexp_matches(${value}, ${isBytes ? SEALED_BYTES : SEALED}, 'g'))[1] AS key_id FROM ${sql(table)}
      ) AS found GROUP BY found.key_id ORDER BY found.key_id`.pipe(Rows.all(CountRow))
    const rows = yield* read(counted)
    used.push(...rows.map((row) => ({ keyId: row.key_id, where: `${table}.${column}`, count: row.count })))
  }
  const since = Rows.at(Timestamp.plus(yield* Timestamp.now, -REPEATS))
  // A request for consent does not store when it was approved. But the approval made a code of the same connection, and
  // the code has the time. On a cluster, the code may be on another node than the request, so the codes are read first.
  const codes = yield* read(
    sql`SELECT connection_id FROM authorization_codes WHERE created_at > ${since}`.pipe(Rows.all(CodeRow))
  )
  const repeatable = [
    ["refresh_tokens", sql`rotated_at > ${since}`],
    ["authorization_codes", sql`used_at > ${since}`],
    ["consent_requests", sql`connection_id = ANY(${codes.map((code) => code.connection_id)}::text[])`]
  ] as const
  for (const [table, isRecent] of repeatable) {
    const rows = yield* read(
      sql`SELECT key_id, count(*) AS count FROM ${sql(table)} WHERE key_id IS NOT NULL AND ${isRecent}
          GROUP BY key_id ORDER BY key_id`.pipe(Rows.all(CountRow))
    )
    used.push(...rows.map((row) => ({ keyId: row.key_id, where: `${table}.key_id`, count: row.count })))
  }
  return used
})
