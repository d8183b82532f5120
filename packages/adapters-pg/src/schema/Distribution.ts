import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type Program, program } from "@place-access/domain/shared"
import { Data, Effect, Either, Option, type ParseResult, Schema } from "effect"
import { type Catalogue, make, type Placement, type DistributionStep } from "./DistributionPlan.js"
import { type MigrationRefused, missing } from "./Migrator.js"
import * as Failures from "../Failures.js"
import * as Rows from "../driver/Rows.js"

export { COPIED_TABLES, keyOf, LOOKUP_TABLES } from "./DistributionPlan.js"

/** The database cannot be distributed over several machines as it is, or a step of the distribution failed. */
export class DistributionRefused extends Data.TaggedError("DistributionRefused")<{
  /** Whole sentences that say what to do. */
  readonly message: string
}> {}

export interface DistributionRequest {
  /**
   * The number of shards of each group of tables. It need not exceed the number of cores that the machines will ever
   * have.
   */
  readonly shards: number
  /** Whether to print the statements only, and change nothing. */
  readonly dryRun: boolean
  /** Prints one line about the next step. */
  readonly say: (line: string) => Effect.Effect<void>
}

type Failure = SqlError | ParseResult.ParseError | MigrationRefused | DistributionRefused

/**
 * Distributes the schema over the nodes of a Citus cluster. Tables that are distributed already stay as they are, so
 * the command can run again after new migrations or after a step that failed. The command checks every known obstacle
 * before it writes anything.
 */
export const distribute = program(
  "Distribution.distribute",
  function* ({ dryRun, say, shards }: DistributionRequest): Program<void, Failure, SqlClient> {
    const version = yield* citusVersion
    if (Option.isNone(version)) {
      return yield* refuse(
        "This database has no Citus extension (CREATE EXTENSION citus), and without it there is nothing to spread tables with"
      )
    }
    const behind = yield* missing
    if (behind.length > 0) return yield* refuse("The schema is not up to date: run npm start -- migrate first")
    const others = yield* connected
    if (others.length > 0 && !dryRun) {
      return yield* refuse(`Stop the service first: ${others.join(", ")} is connected to the database`)
    }
    const catalogue = yield* readCatalogue
    const planned = make(catalogue, shards)
    if (Either.isLeft(planned)) return yield* refuse(["The schema cannot be spread:", ...planned.left].join("\n  "))
    yield* say(dryRun ? `-- Citus ${version.value}; nothing is changed` : `Citus ${version.value}`)
    yield* Effect.forEach(planned.right, dryRun ? (step) => show(step, say) : (step) => perform(step, say), {
      discard: true
    })
    const count = planned.right.reduce((all, { tables }) => all + tables.length, 0)
    const before = catalogue.placed.size
    yield* say(
      `${dryRun ? "-- " : ""}${count} tables ${dryRun ? "would be" : "were"} moved, ${before} had been moved before.`
    )
  }
)

const refuse = (why: string) => new DistributionRefused({ message: `${why}. Nothing was changed.` })

const show = ({ says, statements }: DistributionStep, say: DistributionRequest["say"]) =>
  Effect.forEach(
    [`-- ${says}`, ...(statements.length === 1 ? statements : ["BEGIN", ...statements, "COMMIT"])],
    (line) => say(line.startsWith("--") ? line : `${line};`),
    { discard: true }
  )

const perform = ({ says, statements, tables }: DistributionStep, say: DistributionRequest["say"]) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* say(says)
    yield* sql.withTransaction(
      Effect.gen(function* () {
        // Citus copies the existing rows to their nodes, which may take hours.
        yield* sql`SET LOCAL statement_timeout = 0`
        yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
      })
    )
  }).pipe(
    Failures.orSqlError,
    Effect.mapError((error) => {
      const reason = error.cause instanceof Error ? error.cause.message : error.message
      return new DistributionRefused({
        message: `${tables.join(", ")} could not be moved: ${reason}. What was moved before stays moved; repeat the command once this is mended.`
      })
    })
  )

const citusVersion = Effect.gen(function* () {
  const sql = yield* SqlClient
  const row = yield* sql`SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`.pipe(
    Rows.first(Schema.Struct({ version: Schema.String }))
  )
  return Option.map(row, ({ version }) => version)
})

/**
 * Finds other programs of the service that are connected to any node, by the `application_name` that `Postgres.ts`
 * sets. `pg_stat_activity` lists only the sessions of one node, so the statement asks every node.
 */
const connected = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql`SELECT DISTINCT application_name AS name FROM citus_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'place-access %'
      AND application_name <> current_setting('application_name') ORDER BY 1`.pipe(
    Rows.all(Schema.Struct({ name: Schema.String }))
  )
  return rows.map(({ name }) => name)
})

const Columns = Schema.Array(Schema.String)
const IndexRow = Schema.Struct({
  table: Schema.String,
  name: Schema.NullOr(Schema.String),
  is_primary: Schema.Boolean,
  columns: Schema.NullOr(Columns)
})
const ForeignKeyRow = Schema.Struct({
  table: Schema.String,
  name: Schema.String,
  references: Schema.String,
  definition: Schema.String
})
const PlacedRow = Schema.Struct({ table: Schema.String, key: Schema.NullOr(Schema.String) })

const readCatalogue: Effect.Effect<Catalogue, SqlError | ParseResult.ParseError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const indexes =
    yield* sql`SELECT t.relname AS "table", i.relname AS name, coalesce(x.indisprimary, false) AS is_primary,
      (SELECT array_agg(a.attname::text ORDER BY k.position)
       FROM unnest(x.indkey) WITH ORDINALITY AS k (attribute, position)
       JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attribute) AS columns
    FROM pg_class t LEFT JOIN pg_index x ON x.indrelid = t.oid AND x.indisunique
      LEFT JOIN pg_class i ON i.oid = x.indexrelid
    WHERE t.relkind IN ('r', 'p') AND NOT t.relispartition AND t.relnamespace = current_schema()::regnamespace
    ORDER BY 1, 2`.pipe(Rows.all(IndexRow))
  const foreignKeys = yield* sql`SELECT t.relname AS "table", c.conname AS name, r.relname AS "references",
      pg_get_constraintdef(c.oid) AS definition
    FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class r ON r.oid = c.confrelid
    WHERE c.contype = 'f' AND NOT t.relispartition AND t.relnamespace = current_schema()::regnamespace
    ORDER BY 1, 2`.pipe(Rows.all(ForeignKeyRow))
  const placed = yield* sql`SELECT t.relname AS "table",
      CASE WHEN p.partkey IS NOT NULL THEN column_to_column_name(p.logicalrelid, p.partkey) END AS key
    FROM pg_dist_partition p JOIN pg_class t ON t.oid = p.logicalrelid
    WHERE NOT t.relispartition AND t.relnamespace = current_schema()::regnamespace`.pipe(Rows.all(PlacedRow))
  const primary = indexes.filter(({ is_primary }) => is_primary)
  return {
    tables: [...new Set(indexes.map(({ table }) => table))].map((name) => ({
      name,
      primaryKey: primary.find(({ table }) => table === name)?.columns ?? []
    })),
    uniqueIndexes: indexes.flatMap(({ columns, name, table }) =>
      name === null ? [] : [{ table, name, columns: columns ?? [] }]
    ),
    foreignKeys,
    placed: new Map(
      placed.map(({ key, table }): [string, Placement] => [
        table,
        key === null ? { _tag: "Copied" } : { _tag: "Spread", key }
      ])
    )
  }
})
