import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import * as ConnectionRoutes from "../connection/ConnectionRoutes.js"
import * as Rows from "../driver/Rows.js"

/**
 * Snapshots of a test world: copies of all rows, in schemas of their own beside the tables. Saving or restoring takes
 * about a second. A copy of the data folder would need a restart of the program. Use snapshots only with the embedded
 * database, and never for real data: rows that were deleted stay in the snapshots.
 */

const PREFIX = "snapshot_"
/**
 * The name of an extra table in the schema of each snapshot. Its one row has the notes, a text of the caller of `save`,
 * and the shape of the saved tables (`shapeOf`).
 */
const NOTES = "notes_of_snapshot"

const Named = Schema.Struct({ name: Schema.String })
const Table = Schema.Struct({ name: Schema.String, columns: Schema.String })
const Notes = Schema.Struct({ notes: Schema.String, shape: Schema.String })

const schemaOf = (name: string): string => `${PREFIX}${name}`

/** The names of all snapshots, in alphabetical order. */
export const list = Effect.gen(function* () {
  const sql = yield* SqlClient
  const found = yield* sql`SELECT nspname AS name FROM pg_namespace
    WHERE left(nspname, ${PREFIX.length}) = ${PREFIX} ORDER BY nspname`.pipe(Rows.all(Named))
  return found.map(({ name }) => name.slice(PREFIX.length))
})

/**
 * Selects the name of every table except the table of migrations, and its quoted columns without generated ones. A
 * partitioned table counts as one table.
 */
const tables = Effect.gen(function* () {
  const sql = yield* SqlClient
  return yield* sql`SELECT c.relname AS name,
      string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname) FILTER (WHERE a.attgenerated = '') AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
      AND c.relname NOT LIKE '%migrations'
    GROUP BY c.relname ORDER BY c.relname`.pipe(Rows.all(Table))
})

/**
 * Describes the tables. Two databases have the same shape only if they have the same tables and columns, and the same
 * migrations ran on them. The columns alone are not enough: a migration can change types, constraints or what the
 * values mean, and leave the names of the columns as they are.
 */
const shapeOf = (all: ReadonlyArray<typeof Table.Type>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const [newest] = yield* sql`SELECT name FROM schema_migrations ORDER BY id DESC LIMIT 1`.pipe(Rows.all(Named))
    return [`migration ${newest?.name}`, ...all.map(({ columns, name }) => `${name}(${columns})`)].join("\n")
  })

/** Saves all rows, and `notes` with them, under a name of `[a-z0-9_]`. Replaces the snapshot of that name. */
export const save = (name: string, notes: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const schema = schemaOf(name)
    const all = yield* tables
    const shape = yield* shapeOf(all)
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`DROP SCHEMA IF EXISTS ${sql(schema)} CASCADE`
        yield* sql`CREATE SCHEMA ${sql(schema)}`
        for (const { columns, name: table } of all) {
          yield* sql`CREATE TABLE ${sql(schema)}.${sql(table)} AS SELECT ${sql.literal(columns)} FROM public.${sql(table)}`
        }
        yield* sql`CREATE TABLE ${sql(schema)}.${sql(NOTES)} (notes text NOT NULL, shape text NOT NULL)`
        yield* sql`INSERT INTO ${sql(schema)}.${sql(NOTES)} VALUES (${notes}, ${shape})`
      })
    )
  })

/**
 * Reads the notes of a snapshot. Returns none when no snapshot has that name, or when a migration ran since the
 * snapshot was saved.
 */
export const notesOf = (name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    if (!(yield* list).includes(name)) return Option.none<string>()
    const found = yield* sql`SELECT notes, shape FROM ${sql(schemaOf(name))}.${sql(NOTES)}`.pipe(Rows.first(Notes))
    const shape = yield* shapeOf(yield* tables)
    return Option.map(
      Option.filter(found, (row) => row.shape === shape),
      ({ notes }) => notes
    )
  })

/**
 * Replaces all rows by those of the snapshot, in one transaction. No other program or request may use the database
 * meanwhile.
 */
export const restore = (name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const schema = schemaOf(name)
    const all = yield* tables
    yield* sql.withTransaction(
      Effect.gen(function* () {
        // Switches off checks of foreign keys, so that the order of the tables does not matter.
        yield* sql`SET LOCAL session_replication_role = replica`
        yield* sql`TRUNCATE ${sql.csv(all.map(({ name: table }) => sql`public.${sql(table)}`))}`
        for (const { columns, name: table } of all) {
          const list = sql.literal(columns)
          yield* sql`INSERT INTO public.${sql(table)} (${list}) SELECT ${list} FROM ${sql(schema)}.${sql(table)}`
        }
      })
    )
    // A test world with a seed draws its ids from that seed. So after the restore it draws the same connection ids once
    // more, perhaps for other users. Without this line, a cached route would lead from such an id to the wrong user.
    yield* ConnectionRoutes.forgetAll
  })
