import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type Program, program, Timestamp } from "@place-access/domain/shared"
import { Clock, Data, Effect, type ParseResult, Schedule, Schema } from "effect"
import * as Failures from "../Failures.js"
import { migrations } from "./migrations/index.js"
import * as Rows from "../driver/Rows.js"

/** The database does not fit this program's migrations. Nothing was changed. */
export class MigrationRefused extends Data.TaggedError("MigrationRefused")<{ readonly message: string }> {}

export interface Migration {
  readonly id: number
  /** The key in `migrations`, such as `0001_accounts_and_apps`. */
  readonly name: string
  readonly statements: ReadonlyArray<string>
}

type Failure = SqlError | ParseResult.ParseError | MigrationRefused

/** The key of the advisory lock. The number is arbitrary; no other program may use the same number in this database. */
const ADVISORY_LOCK = 7_203_114_858

const NAME = /^(\d{4})_[a-z0-9_]+$/

/**
 * The migrations in the order in which they are applied. Throws when a name does not begin with a number of four
 * digits, or when the numbers are out of order, which is a mistake in the list.
 */
export const fromRecord = (record: Readonly<Record<string, ReadonlyArray<string>>>): ReadonlyArray<Migration> => {
  const list = Object.entries(record).map(([name, statements]) => ({
    id: Number(NAME.exec(name)?.[1]),
    name,
    statements
  }))
  for (const [index, { id, name }] of list.entries()) {
    const before = list[index - 1]?.id ?? 0
    if (!(id > before)) throw new Error(`Migration ${name}: its number must be four digits and greater than ${before}`)
  }
  return list
}

const Applied = Schema.Struct({ id: Schema.Int, name: Schema.String })

/** The migrations of `list` that are missing in the database, or why they cannot be applied. */
const pending = (
  list: ReadonlyArray<Migration>,
  applied: ReadonlyArray<typeof Applied.Type>
): Effect.Effect<ReadonlyArray<Migration>, MigrationRefused> => {
  const names = new Map(applied.map(({ id, name }) => [id, name]))
  const newest = Math.max(0, ...names.keys())
  for (const { id, name } of list) {
    const known = names.get(id)
    if (known === undefined && id < newest) {
      // The database has a migration with a greater number already, so this migration would never run.
      return new MigrationRefused({ message: `${name} was never applied, but a later migration was` })
    }
    if (known !== undefined && known !== name) {
      return new MigrationRefused({ message: `migration ${id} is ${name} here and ${known} in the database` })
    }
  }
  // The database may have migrations that `list` lacks: a newer release runs beside this release during an upgrade.
  return Effect.succeed(list.filter(({ id }) => id > newest))
}

const Encoding = Schema.Struct({ encoding: Schema.String })

/**
 * Refuses a new database with another encoding than UTF-8 (decision settings-5): such a database could not store every
 * text that people enter. A database that is already in use is not refused, because its service would then no longer
 * start.
 */
const requireUtf8 = (sql: SqlClient) =>
  sql`SELECT current_setting('server_encoding') AS encoding`.pipe(
    Rows.all(Encoding),
    Effect.flatMap(([row]) =>
      row === undefined || row.encoding === UTF8
        ? Effect.void
        : new MigrationRefused({
            message: `the encoding of the database is ${row.encoding} and not ${UTF8}; make it again with createdb --encoding ${UTF8} --template template0`
          })
    )
  )

/** PostgreSQL's name of UTF-8. */
const UTF8 = "UTF8"

/**
 * While a migration waits for the lock of a table, the statements of the running version queue behind the migration. A
 * backup (`pg_dump`) locks every table until it ends. So a migration waits for a lock for at most this time, then rolls
 * back, and tries again later.
 */
const LOCK_TIMEOUT = "200ms"
/**
 * PostgreSQL cancels an autovacuum only for a statement that has waited for the table for `deadlock_timeout`, which is
 * a second by default. An autovacuum of a large table can take hours, and every wait of 200 ms would end too early. So
 * one of `LONG_EVERY` tries waits longer. Statements that queue behind the migration then still wait for less than the
 * service's own lock time-out.
 */
const LONG_LOCK_TIMEOUT = "1500ms"
const LONG_EVERY = 10
const AGAIN = Schedule.exponential("500 millis").pipe(Schedule.union(Schedule.spaced("10 seconds")))

const IN_USE =
  "A migration needs a table that is in use, perhaps by a backup or an autovacuum, or a node of the cluster does not answer. The migration is retried."

/** One try to apply the missing migrations, in one transaction. Returns their names. */
const tryOnce = (
  sql: SqlClient,
  list: ReadonlyArray<Migration>,
  now: ReturnType<typeof Rows.at>,
  lockTimeout: typeof LOCK_TIMEOUT | typeof LONG_LOCK_TIMEOUT
) =>
  sql.withTransaction(
    Effect.gen(function* () {
      // A migration that rewrites a big table takes long, and a process that waits for the advisory lock cannot start
      // before that migration ends. So neither time-out applies here.
      yield* sql`SET LOCAL statement_timeout = 0`
      yield* sql`SET LOCAL lock_timeout = 0`
      yield* sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`
      // On a cluster, a migration also locks shards on the nodes, so the nodes need this time-out too. PostgreSQL
      // without Citus accepts the first setting as one of an unknown extension.
      yield* sql`SET LOCAL citus.propagate_set_commands = 'local'`
      yield* sql`SET LOCAL lock_timeout = ${sql.literal(`'${lockTimeout}'`)}`
      // First checks whether the table exists: a Citus node other than the coordinator refuses CREATE TABLE IF NOT
      // EXISTS, even when the table exists.
      const [there] = yield* sql`SELECT 1 WHERE to_regclass('schema_migrations') IS NOT NULL`
      if (there === undefined) {
        yield* requireUtf8(sql)
        yield* sql`CREATE TABLE schema_migrations (
          id integer PRIMARY KEY,
          name text NOT NULL,
          applied_at timestamptz(3) NOT NULL
        )`
      }
      const applied = yield* sql`SELECT id, name FROM schema_migrations`.pipe(Rows.all(Applied))
      const missing = yield* pending(list, applied)
      for (const { id, name, statements } of missing) {
        for (const statement of statements) yield* sql.unsafe(statement)
        yield* sql`INSERT INTO schema_migrations (id, name, applied_at) VALUES (${id}, ${name}, ${now})`
      }
      return missing.map(({ name }) => name)
    })
  )

/**
 * Applies the missing migrations, all of them or none, and returns their names. Several processes may start at the same
 * time: one migrates, the others wait and find nothing left to do. While a table is in use or a node of the cluster
 * does not answer, the function tries again, without a limit. `again`: the waits between the tries.
 */
export const migrateWith = program(
  "Migrator.migrate",
  function* (
    list: ReadonlyArray<Migration>,
    again: Schedule.Schedule<unknown> = AGAIN
  ): Program<ReadonlyArray<string>, Failure, SqlClient> {
    const sql = yield* SqlClient
    const now = Rows.at(yield* Timestamp.now)
    let tries = 0
    const done = yield* Effect.suspend(() =>
      tryOnce(sql, list, now, ++tries % LONG_EVERY === 0 ? LONG_LOCK_TIMEOUT : LOCK_TIMEOUT)
    ).pipe(
      Failures.orSqlError,
      Effect.tapError((error) =>
        Failures.isLockTimeout(error) ? Effect.logWarning(IN_USE, Failures.said(error)) : Effect.void
      ),
      Effect.retry(Schedule.whileInput(again, Failures.isLockTimeout)),
      // Waits in real time, because locks are held in real time even when the program's `Clock` is a simulated one.
      Effect.withClock(Clock.make())
    )
    if (done.length > 0) yield* analyse(sql)
    return done
  }
)

const Named = Schema.Struct({ name: Schema.String })

/**
 * Refreshes the planner's statistics, which may be wrong after a migration; the embedded database has no background
 * process that does so. Empty tables are left out. After an ANALYZE of an empty table, the planner assumes until the
 * next ANALYZE that the table is empty. Plans that are made meanwhile read the whole table, however large it becomes.
 * For a table that was never analysed, the planner assumes ten pages.
 *
 * The migrations are committed already, so a table that cannot be analysed, for example because VACUUM has locked it,
 * stops neither the other tables nor the program. ANALYZE of a large table may take longer than the time limit for
 * statements.
 */
const analyse = (sql: SqlClient) =>
  Effect.gen(function* () {
    const filled = yield* sql`SELECT relname AS name FROM pg_class
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND pg_relation_size(oid) > 0`.pipe(
      Rows.all(Named)
    )
    yield* Effect.forEach(
      filled,
      ({ name }) =>
        Effect.zipRight(sql`SET LOCAL statement_timeout = 0`, sql`ANALYZE ${sql(name)}`).pipe(
          sql.withTransaction,
          Failures.orSqlError,
          Effect.catchAll((error) =>
            Effect.logWarning(
              `The table ${name} could not be analysed, so its statements may be slow`,
              Failures.said(error)
            )
          )
        ),
      { discard: true }
    )
  })

/** The names of the migrations that `migrate` would apply. Changes nothing. */
export const missing: Effect.Effect<ReadonlyArray<string>, Failure, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const list = fromRecord(migrations)
  const [row] = yield* sql`SELECT 1 WHERE to_regclass('schema_migrations') IS NOT NULL`
  const applied = row === undefined ? [] : yield* sql`SELECT id, name FROM schema_migrations`.pipe(Rows.all(Applied))
  return (yield* pending(list, applied)).map(({ name }) => name)
})

/** Applies this program's migrations to the database. */
export const migrate: Effect.Effect<ReadonlyArray<string>, Failure, SqlClient> = Effect.suspend(() =>
  migrateWith(fromRecord(migrations))
)
