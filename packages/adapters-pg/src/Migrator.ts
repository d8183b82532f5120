import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Timestamp } from "@place-access/domain/shared"
import { Clock, Data, Effect, type ParseResult, Schedule, Schema } from "effect"
import * as Failures from "./Failures.js"
import { migrations } from "./migrations/index.js"
import * as Rows from "./Rows.js"

/** The database and this program's migrations do not fit together; nothing was changed. */
export class MigrationRefused extends Data.TaggedError("MigrationRefused")<{ readonly message: string }> {}

export interface Migration {
  readonly id: number
  /** As in `migrations`, such as `0001_accounts_and_apps`. */
  readonly name: string
  readonly statements: ReadonlyArray<string>
}

type Failure = SqlError | ParseResult.ParseError | MigrationRefused

/** Any number that no other program locks in this database. */
const ADVISORY_LOCK = 7_203_114_858

const NAME = /^(\d{4})_[a-z0-9_]+$/

/** In order of application. Throws for a list that is out of order: that is a mistake of whoever wrote it. */
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

/** Which migrations of `list` are missing, or why they cannot be applied. */
const pending = (
  list: ReadonlyArray<Migration>,
  applied: ReadonlyArray<typeof Applied.Type>
): Effect.Effect<ReadonlyArray<Migration>, MigrationRefused> => {
  const names = new Map(applied.map(({ id, name }) => [id, name]))
  const newest = Math.max(0, ...names.keys())
  for (const { id, name } of list) {
    const known = names.get(id)
    if (known === undefined && id < newest) {
      // It would be skipped for ever: its number was taken after a greater one had been released.
      return new MigrationRefused({ message: `${name} was never applied, but a later migration was` })
    }
    if (known !== undefined && known !== name) {
      return new MigrationRefused({ message: `migration ${id} is ${name} here and ${known} in the database` })
    }
  }
  // Unknown later ones are a newer program's, running beside this one during an upgrade.
  return Effect.succeed(list.filter(({ id }) => id > newest))
}

/**
 * While a migration waits for a table, the statements of the running version wait behind it. A backup (`pg_dump`) keeps every table for as
 * long as it runs. So a migration waits only so long for a lock, undoes what it did, and tries again later.
 */
const LOCK_TIMEOUT = "200ms"
const AGAIN = Schedule.exponential("500 millis").pipe(Schedule.union(Schedule.spaced("10 seconds")))

const isBusy = (error: unknown): boolean => Failures.sqlState(error) === "55P03"

const IN_USE = "A migration needs a table that is in use, perhaps by a backup. It is tried again."

/**
 * Applies what is missing, all of it or nothing, and returns the names. Several processes may start at once: one works, the
 * others wait and find nothing left to do. Goes on trying while a table is in use.
 */
export const migrateWith = (list: ReadonlyArray<Migration>): Effect.Effect<ReadonlyArray<string>, Failure, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const now = Rows.at(yield* Timestamp.now)
    const done = yield* sql
      .withTransaction(
        Effect.gen(function* () {
          // A big table takes its time; whoever waits here has nothing better to do.
          yield* sql`SET LOCAL statement_timeout = 0`
          yield* sql`SET LOCAL lock_timeout = 0`
          yield* sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`
          yield* sql`SET LOCAL lock_timeout = ${sql.literal(`'${LOCK_TIMEOUT}'`)}`
          yield* sql`CREATE TABLE IF NOT EXISTS schema_migrations (
          id integer PRIMARY KEY,
          name text NOT NULL,
          applied_at timestamptz(3) NOT NULL
        )`
          const applied = yield* sql`SELECT id, name FROM schema_migrations`.pipe(Rows.all(Applied))
          const missing = yield* pending(list, applied)
          for (const { id, name, statements } of missing) {
            for (const statement of statements) yield* sql.unsafe(statement)
            yield* sql`INSERT INTO schema_migrations (id, name, applied_at) VALUES (${id}, ${name}, ${now})`
          }
          return missing.map(({ name }) => name)
        })
      )
      .pipe(
        Effect.tapError((error) => (isBusy(error) ? Effect.logWarning(IN_USE) : Effect.void)),
        Effect.retry(Schedule.whileInput(AGAIN, isBusy)),
        // Locks are held on the host's time.
        Effect.withClock(Clock.make())
      )
    if (done.length > 0) yield* analyse(sql)
    return done
  }).pipe(Effect.withSpan("Migrator.migrate"))

const Named = Schema.Struct({ name: Schema.String })

/**
 * What the planner knew of tables may not hold any more, and on the embedded database nobody else looks. Not at empty ones: a table that
 * was looked at while it was empty counts as empty until the next look, and statements that are planned meanwhile read all of it, however
 * much comes. Of one that was never looked at the planner expects ten pages.
 */
const analyse = (sql: SqlClient) =>
  Effect.gen(function* () {
    const filled = yield* sql`SELECT relname AS name FROM pg_class
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND pg_relation_size(oid) > 0`.pipe(
      Rows.all(Named)
    )
    yield* Effect.forEach(filled, ({ name }) => sql`ANALYZE ${sql(name)}`, { discard: true })
  })

/** The names of the migrations that `migrate` would apply; nothing is changed. */
export const missing: Effect.Effect<ReadonlyArray<string>, Failure, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const list = fromRecord(migrations)
  const [row] = yield* sql`SELECT 1 WHERE to_regclass('schema_migrations') IS NOT NULL`
  const applied = row === undefined ? [] : yield* sql`SELECT id, name FROM schema_migrations`.pipe(Rows.all(Applied))
  return (yield* pending(list, applied)).map(({ name }) => name)
})

/** Brings the database's schema up to this program's. */
export const migrate: Effect.Effect<ReadonlyArray<string>, Failure, SqlClient> = Effect.suspend(() =>
  migrateWith(fromRecord(migrations))
)
