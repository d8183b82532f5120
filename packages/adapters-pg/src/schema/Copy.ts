import { type SqlClient, TransactionConnection } from "@effect/sql/SqlClient"
import { Context, Data, Effect, Schema } from "effect"
import * as Failures from "../Failures.js"
import * as Rows from "../driver/Rows.js"

/**
 * Copies all rows of one database into another, for the move from the embedded database to PostgreSQL. Rows travel as
 * JSON, which PostgreSQL writes and reads without loss. The whole copy is one transaction of the target, so that a copy
 * that stops half-way leaves nothing behind. After each table, the copy compares the number and a digest of its rows in
 * both databases.
 */

/**
 * The copy was refused: the target has rows, the two databases have different schemas, or the copy of a table differs
 * from the original. The target has no copied rows.
 */
export class CopyRefused extends Data.TaggedError("CopyRefused")<{ readonly message: string }> {}

export interface CopiedTable {
  readonly name: string
  readonly rows: number
}

interface Table {
  readonly name: string
  /** The names of the table's partitions; the table's own name when it has no partitions. */
  readonly leaves: ReadonlyArray<string>
}

/**
 * The table of applied migrations. It is not copied: the target's schema is made before the copy, so the target has its
 * own list.
 */
const NOT_COPIED = "schema_migrations"

const TableRow = Schema.Struct({ name: Schema.String, leaf: Schema.String })
const ReferenceRow = Schema.Struct({ from: Schema.String, to: Schema.String })
const PartitionRow = Schema.Struct({ parent: Schema.String, name: Schema.String, bound: Schema.String })
const PagesRow = Schema.Struct({ pages: Rows.Bigint, bytes: Rows.Bigint })
const JsonRow = Schema.Struct({ row: Schema.String })
const DigestRow = Schema.Struct({ rows: Rows.Bigint, digest: Schema.String })
const MigrationRow = Schema.Struct({ name: Schema.String })
const ColumnRow = Schema.Struct({ columns: Schema.String })

/**
 * Runs statements of the source outside the target's transaction. Both clients look for the current transaction under
 * the same tag, so without `outside` these statements would run on the target.
 */
const outside = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.mapInputContext(
    effect,
    (context: Context.Context<R>) =>
      Context.omit(TransactionConnection)(context as Context.Context<R | TransactionConnection>) as Context.Context<R>
  )

/** The tables of the current schema, whatever version it has. Tables that belong to an extension are left out. */
const tablesOf = (sql: SqlClient) =>
  Effect.gen(function* () {
    const found = yield* sql`SELECT coalesce(p.relname, c.relname) AS name, c.relname AS leaf
      FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
      WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
        AND coalesce(p.relname, c.relname) <> ${NOT_COPIED}
        AND NOT EXISTS (SELECT 1 FROM pg_depend d
          WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      ORDER BY 1, 2`.pipe(Rows.all(TableRow))
    const references = yield* sql`SELECT DISTINCT f.relname AS from, t.relname AS to
      FROM pg_constraint k JOIN pg_class f ON f.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
      WHERE k.contype = 'f' AND f.oid <> t.oid`.pipe(Rows.all(ReferenceRow))
    const names = Array.from(new Set(found.map(({ name }) => name)))
    return inOrder(names, references).map((name): Table => ({
      name,
      leaves: found.filter((one) => one.name === name).map(({ leaf }) => leaf)
    }))
  })

/** Sorts tables so that each table comes after the tables that it refers to. */
export const inOrder = (
  names: ReadonlyArray<string>,
  references: ReadonlyArray<{ readonly from: string; readonly to: string }>
): ReadonlyArray<string> => {
  const ordered = new Set<string>()
  const visit = (name: string, path: ReadonlyArray<string>): void => {
    if (ordered.has(name) || path.includes(name) || !names.includes(name)) return
    for (const { from, to } of references) if (from === name) visit(to, [...path, name])
    ordered.add(name)
  }
  for (const name of names) visit(name, [])
  return Array.from(ordered)
}

const migrationsOf = (sql: SqlClient) =>
  sql`SELECT name FROM schema_migrations ORDER BY id`.pipe(
    Rows.all(MigrationRow),
    Effect.map((rows) => rows.map(({ name }) => name).join("\n"))
  )

/**
 * Makes the source's monthly partitions in the target. Without them, the rows would go to the DEFAULT partitions, from
 * which retention deletes old rows one by one.
 */
const makePartitions = (source: SqlClient, target: SqlClient) =>
  Effect.gen(function* () {
    const partitions = yield* outside(
      source`SELECT p.relname AS parent, c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
        FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid JOIN pg_class p ON p.oid = i.inhparent
        WHERE c.relispartition AND c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace`.pipe(
        Rows.all(PartitionRow)
      )
    )
    for (const { bound, name, parent } of partitions) {
      // A partition's bound cannot be a parameter. Its text comes from the source's catalog, so it is safe to insert.
      yield* target.unsafe(`CREATE TABLE IF NOT EXISTS "${name}" PARTITION OF "${parent}" ${bound}`)
    }
  })

/** About how many bytes of rows one statement copies. */
const STATEMENT_BYTES = 4 * 1_048_576

/**
 * How many pages of the table one statement reads. When rows are large, the number is small, so that the program does
 * not run out of memory.
 */
const pagesAtOnce = (pages: number, bytes: number): number =>
  Math.max(1, Math.floor(STATEMENT_BYTES / Math.max(1, bytes / Math.max(1, pages))))

const copyLeaf = (source: SqlClient, target: SqlClient, table: string, leaf: string) =>
  Effect.gen(function* () {
    const [size] = yield* outside(
      source`SELECT pg_relation_size(c.oid) / current_setting('block_size')::bigint AS pages,
          pg_table_size(c.oid) AS bytes
        FROM pg_class c WHERE c.oid = to_regclass(${leaf})`.pipe(Rows.all(PagesRow))
    )
    const { bytes, pages } = size ?? { pages: 0, bytes: 0 }
    const [named] = yield* target`SELECT string_agg(format('%I', attname), ', ' ORDER BY attnum) AS columns
      FROM pg_attribute WHERE attrelid = to_regclass(${table}) AND attnum > 0 AND NOT attisdropped
        AND attgenerated = ''`.pipe(Rows.all(ColumnRow))
    const columns = named?.columns ?? ""
    const step = pagesAtOnce(pages, bytes)
    let copied = 0
    for (let page = 0; page < pages; page += step) {
      const rows = yield* outside(
        source`SELECT row_to_json(t)::text AS row FROM ${source(leaf)} t
          WHERE ctid >= ${`(${page},0)`}::tid AND ctid < ${`(${page + step},0)`}::tid`.pipe(Rows.all(JsonRow))
      )
      if (rows.length === 0) continue
      yield* target.unsafe(
        `INSERT INTO "${table}" (${columns})
           SELECT ${columns} FROM json_populate_recordset(null::"${table}", $1::json)`,
        [`[${rows.map(({ row }) => row).join(",")}]`]
      )
      copied += rows.length
    }
    return copied
  })

/** Counts and digests the rows of a table. Two tables with the same rows, in any order, have the same result. */
const digestOf = (sql: SqlClient, table: string) =>
  sql`SELECT count(*) AS rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text AS digest
    FROM ${sql(table)} t`.pipe(
    Rows.all(DigestRow),
    Effect.map(([first]) => ({ rows: first?.rows ?? 0, digest: first?.digest ?? "" }))
  )

const isEmpty = (sql: SqlClient, table: string) =>
  Effect.map(sql`SELECT 1 FROM ${sql(table)} LIMIT 1`, (rows) => rows.length === 0)

/**
 * Fails with `CopyRefused` when a table of the target has rows. The target may have an older schema or no tables, so
 * that this can be checked before the target's schema is changed.
 */
export const refuseRows = (target: SqlClient) =>
  Effect.gen(function* () {
    for (const { name } of yield* tablesOf(target)) {
      if (!(yield* isEmpty(target, name))) {
        return yield* new CopyRefused({ message: `The table ${name} of the target has rows` })
      }
    }
  })

/**
 * Copies `source` into `target`. Fails with `CopyRefused` unless the same migrations ran on both databases, the
 * target's tables are empty, and the copy of each table is equal to the original. `say` is called after each table that
 * has rows.
 */
export const copy = (source: SqlClient, target: SqlClient, say: (table: CopiedTable) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    // Reading and comparing a large table takes longer than the default `statement_timeout` of 15 s.
    yield* target`SET LOCAL statement_timeout = 0`
    yield* target`SET LOCAL idle_in_transaction_session_timeout = 0`
    // The digests are made from the text of rows, which depends on the time zone. So both databases get the same time
    // zone.
    yield* target`SET LOCAL TimeZone = 'UTC'`
    yield* outside(source`SET TimeZone = 'UTC'`)
    if ((yield* outside(migrationsOf(source))) !== (yield* migrationsOf(target))) {
      return yield* new CopyRefused({ message: "The two databases have not the same schema" })
    }
    yield* refuseRows(target)
    const tables = yield* outside(tablesOf(source))
    yield* makePartitions(source, target)
    const copied: Array<CopiedTable> = []
    for (const { leaves, name } of tables) {
      let rows = 0
      for (const leaf of leaves) rows += yield* copyLeaf(source, target, name, leaf)
      const [before, after] = [yield* outside(digestOf(source, name)), yield* digestOf(target, name)]
      if (before.rows !== after.rows || before.digest !== after.digest) {
        return yield* new CopyRefused({ message: `The copy of the table ${name} differs from the original` })
      }
      if (rows === 0) continue
      copied.push({ name, rows })
      yield* say({ name, rows })
    }
    return copied
  }).pipe(target.withTransaction, Failures.orSqlError)
