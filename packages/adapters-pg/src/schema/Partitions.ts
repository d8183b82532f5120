import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Retention } from "@place-access/domain/sweeps"
import { program, type Timestamp } from "@place-access/domain/shared"
import { Clock, DateTime, Duration, Effect, Schedule, Schema } from "effect"
import * as Failures from "../Failures.js"
import * as Rows from "../driver/Rows.js"

/**
 * The tables that are partitioned by month, so that retention drops a partition instead of deleting rows one by one.
 * With `expires`, a partition is dropped when its whole month is past the retention time of the access log. The
 * partitions of other tables are dropped when retention has emptied them.
 */
const TABLES = [
  { table: "fixes", column: "captured_at", expires: false },
  { table: "access_log", column: "at", expires: true },
  { table: "delivery_attempts", column: "started_at", expires: false }
] as const

/**
 * The longest wait for a table's lock. While a change waits, every other statement on the table queues behind the
 * change.
 */
const LOCK_TIMEOUT = "200ms"

const MONTHS_BEFORE = 1
const MONTHS_AFTER = 2

/** One calendar month in UTC; `to` is exclusive. */
export interface Month {
  /** The end of the name of the month's partition, such as `2026_01`. */
  readonly suffix: string
  readonly from: string
  readonly to: string
}

/** The month of `now`, with `MONTHS_BEFORE` months before it and `MONTHS_AFTER` months after it, oldest first. */
export const months = (now: Timestamp.Timestamp): ReadonlyArray<Month> => {
  const first = DateTime.startOf(DateTime.unsafeMake(now), "month")
  return Array.from({ length: MONTHS_BEFORE + 1 + MONTHS_AFTER }, (_, index) => {
    const from = DateTime.add(first, { months: index - MONTHS_BEFORE })
    const iso = DateTime.formatIso(from)
    return {
      suffix: iso.slice(0, 7).replace("-", "_"),
      from: iso,
      to: DateTime.formatIso(DateTime.add(from, { months: 1 }))
    }
  })
}

/**
 * Makes the missing partitions of the months around `now` and returns their names. Rows that arrived before their month
 * had a partition are in the DEFAULT partition and are moved. The function is idempotent, and several processes may run
 * it at the same time.
 *
 * The DEFAULT partition may have many years of imported history. The function reads it twice: to find the rows of the
 * month, and to prove that no other row belongs to the month. Meanwhile other statements can read and write; only new
 * rows of that month are refused, with a transient error. Then the function attaches the partition under an exclusive
 * lock, which takes the time of one small statement. A small DEFAULT partition is read under that lock.
 *
 * A table that stays in use (`pg_dump` locks every table until it ends) is left to the next run, with a line in the
 * log: its rows go to the DEFAULT partition until then. While this function waits for a lock, the statements behind it
 * wait for at most 200 ms at a time. `limit` is the longest time for one statement; absent: no limit. A table that
 * takes longer is left to the next run too.
 */
export const ensurePartitions = program(
  "Partitions.ensurePartitions",
  function* (now: Timestamp.Timestamp, limit: Duration.DurationInput = 0) {
    const made: Array<string> = []
    for (const { table, column } of TABLES) {
      for (const month of months(now)) {
        const outcome = yield* ensure({ table, column, month }, limit).pipe(unlessBusy(table, month))
        if (outcome === "made") made.push(`${table}_${month.suffix}`)
        if (outcome === "elsewhere") yield* Effect.logWarning(MISSING, `${table}_${month.suffix}`)
        if (outcome === "busy" || outcome === "elsewhere") break
      }
    }
    return made
  },
  Failures.orStoreError
)

/**
 * Whether the next run may succeed, because the error is a lock or statement time-out, or because another process,
 * which failed, has deleted the CHECK constraint that this process wanted to validate (42704).
 */
const isBusy = (error: unknown): boolean =>
  Failures.isLockTimeout(error) || ["57014", "42704"].includes(Failures.sqlState(error) ?? "")

const whileLocked =
  (times: number) =>
  <A, R>(effect: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> =>
    effect.pipe(
      Effect.retry({ schedule: Schedule.spaced("300 millis"), times, while: Failures.isLockTimeout }),
      // Waits in real time, because locks are held in real time even when the program's `Clock` is a simulated one.
      Effect.withClock(Clock.make())
    )

const unlessBusy =
  (table: string, month: Month) =>
  <A, R>(effect: Effect.Effect<A, SqlError, R>): Effect.Effect<A | "busy", SqlError, R> =>
    Effect.catchIf(effect, isBusy, (error) =>
      Effect.as(
        Effect.logWarning(
          Failures.sqlState(error) === "57014"
            ? `The table ${table}_default is large: a later run makes the partition ${month.suffix}`
            : `The table ${table} is in use, perhaps by a backup: the next run makes its partition ${month.suffix}`
        ),
        "busy" as const
      )
    )

const MISSING = "A partition is missing. A worker that is connected to the cluster's coordinator makes it"

const hasCitus = (sql: SqlClient) =>
  Effect.map(sql`SELECT 1 WHERE to_regproc('citus_is_coordinator') IS NOT NULL`, (rows) => rows.length > 0)

/**
 * Whether this connection may change tables. On a cluster only a connection to the coordinator may. Another node would
 * refuse the change only after it had locked the table on every node and moved the rows. A server that has Citus but no
 * other node may change tables too, although Citus does not call it a coordinator.
 */
const mayChangeTables = (sql: SqlClient): Effect.Effect<boolean, SqlError> =>
  Effect.gen(function* () {
    if (!(yield* hasCitus(sql))) return true
    const may = yield* sql`SELECT 1 WHERE citus_is_coordinator() OR NOT EXISTS (SELECT 1 FROM pg_dist_node)`
    return may.length > 0
  })

/** A partition that is to be made. */
interface Missing {
  readonly table: string
  readonly column: string
  readonly month: Month
}

const ensure = (
  missing: Missing,
  limit: Duration.DurationInput
): Effect.Effect<"made" | "there" | "elsewhere", SqlError, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    if (yield* isThere(sql, missing)) {
      // A killed process may have left behind the constraint that closes the month, and a process of an earlier release
      // makes the partition without deleting this constraint. Once retention has dropped the partition, the constraint
      // would refuse imported rows of the month.
      const isClosed = (yield* closings(sql, missing)).includes(closingOf(missing))
      if (isClosed && (yield* mayChangeTables(sql))) yield* openMonths(sql, missing)
      return "there"
    }
    if (!(yield* mayChangeTables(sql))) return "elsewhere"
    if (!(yield* isLarge(sql, missing))) return yield* make(sql, missing, limit, "quickly read")
    yield* closeMonth(sql, missing)
    return yield* make(sql, missing, limit, "month closed").pipe(Effect.onError(() => openMonths(sql, missing)))
  })

const nameOf = ({ month, table }: Missing): string => `${table}_${month.suffix}`

const standardOf = ({ table }: Missing): string => `${table}_default`

const isThere = (sql: SqlClient, missing: Missing) =>
  Effect.map(
    sql`SELECT 1 FROM pg_class WHERE oid = to_regclass(${nameOf(missing)}) AND relispartition`,
    (rows) => rows.length > 0
  )

/**
 * Distributes a new table like its parent. ATTACH would also do this, but it would copy the rows once more, under the
 * exclusive lock of the DEFAULT partition.
 */
const distribute = (sql: SqlClient, missing: Missing) =>
  Effect.gen(function* () {
    if (!(yield* hasCitus(sql))) return
    yield* sql`SELECT create_distributed_table(${nameOf(missing)}, column_to_column_name(logicalrelid, partkey),
        colocate_with => ${missing.table})
      FROM pg_dist_partition WHERE logicalrelid = to_regclass(${missing.table}) AND partkey IS NOT NULL`
  })

/** Whether the DEFAULT partition has more rows than PostgreSQL reads in a few milliseconds. */
const isLarge = (sql: SqlClient, missing: Missing) =>
  Effect.map(sql`SELECT 1 FROM ${sql(standardOf(missing))} LIMIT 1 OFFSET 10000`, (rows) => rows.length > 0)

/**
 * Locks the parent table before its partitions, as writers do. Writers can go on; another process that makes
 * partitions waits.
 */
const lockParent = (sql: SqlClient, { table }: Missing) =>
  sql`LOCK TABLE ONLY ${sql(table)} IN SHARE UPDATE EXCLUSIVE MODE`

const askForStandard = (sql: SqlClient, missing: Missing) =>
  Effect.zipRight(waitBriefly(sql), sql`LOCK TABLE ${sql(standardOf(missing))} IN ACCESS EXCLUSIVE MODE`)

/**
 * Locks the DEFAULT partition in a nested transaction, a savepoint: when the lock is refused, the statements before the
 * savepoint need not be repeated.
 */
const lockStandard = (sql: SqlClient, missing: Missing) =>
  sql.withTransaction(askForStandard(sql, missing)).pipe(whileLocked(4))

/** The name of the CHECK constraint that closes the month. `Failures` recognizes the constraint by this name. */
const closingOf = (missing: Missing): string => `${standardOf(missing)}_without_${missing.month.suffix}`

/** Finds the CHECK constraints that close months of the DEFAULT partition. */
const closings = (sql: SqlClient, missing: Missing) =>
  Effect.map(
    sql<{ readonly name: string }>`SELECT conname AS name FROM pg_constraint
      WHERE conrelid = to_regclass(${standardOf(missing)}) AND conname ~ '_default_without_[0-9]{4}_[0-9]{2}$'`,
    (rows) => rows.map(({ name }) => name)
  )

/**
 * Closes the month in the DEFAULT partition: a CHECK constraint refuses new rows of the month. The statement does not
 * read the rows that are there, so the exclusive lock is short. Without the constraint, ATTACH would read the whole
 * DEFAULT partition under that lock.
 */
const closeMonth = (sql: SqlClient, missing: Missing) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* lockParent(sql, missing)
      if ((yield* closings(sql, missing)).includes(closingOf(missing))) return
      const { column, month } = missing
      yield* lockStandard(sql, missing)
      // A constraint cannot have parameters. Its two times are safe to insert, because `months` has formatted them.
      yield* sql.unsafe(
        `ALTER TABLE ${standardOf(missing)} ADD CONSTRAINT ${closingOf(missing)}
           CHECK (${column} < '${month.from}' OR ${column} >= '${month.to}') NOT VALID`
      )
    })
  )

/**
 * Deletes the constraints that keep rows of a month out of the DEFAULT partition, including one that a killed process
 * left behind. After that, rows of every month without a partition can go to the DEFAULT partition.
 */
const deleteClosings = (sql: SqlClient, missing: Missing) =>
  Effect.flatMap(closings(sql, missing), (names) =>
    Effect.forEach(names, (name) => sql`ALTER TABLE ${sql(standardOf(missing))} DROP CONSTRAINT ${sql(name)}`, {
      discard: true
    })
  )

/**
 * Undoes `closeMonth` after a failure. Repeats the whole transaction, and not only the LOCK: on a cluster, the LOCK
 * does not lock the shards, and a node may still be undoing the statement that failed. If all attempts fail, another
 * process that makes partitions, or the next run, deletes the constraint.
 */
const openMonths = (sql: SqlClient, missing: Missing) =>
  sql
    .withTransaction(
      Effect.all(
        [waitBriefly(sql), lockParent(sql, missing), askForStandard(sql, missing), deleteClosings(sql, missing)],
        { discard: true }
      )
    )
    .pipe(
      // Tries for about 15 s, because rows of the month are refused until the month is open, and an autovacuum of the
      // DEFAULT partition may hold its lock for seconds.
      whileLocked(30),
      Effect.catchAllCause((cause) =>
        Effect.logWarning(`New rows of ${nameOf(missing)} are refused until a run makes this partition`, cause)
      )
    )

/**
 * Makes the partition. `state`: either the DEFAULT partition is small, so that reading it takes milliseconds, or
 * `closeMonth` has closed the month.
 */
const make = (
  sql: SqlClient,
  missing: Missing,
  limit: Duration.DurationInput,
  state: "quickly read" | "month closed"
) =>
  sql.withTransaction(
    Effect.gen(function* () {
      const { column, month, table } = missing
      const [name, standard] = [nameOf(missing), standardOf(missing)]
      // Reading the DEFAULT partition may take longer than the default `statement_timeout` of 15 s.
      yield* sql`SET LOCAL statement_timeout = ${sql.literal(String(Duration.toMillis(limit)))}`
      yield* lockParent(sql, missing)
      if (yield* isThere(sql, missing)) return "there" as const
      yield* sql`CREATE TABLE ${sql(name)} (LIKE ${sql(table)} INCLUDING ALL)`
      yield* distribute(sql, missing)
      const move = sql`WITH early AS (
          DELETE FROM ${sql(standard)} WHERE ${sql(column)} >= ${month.from} AND ${sql(column)} < ${month.to}
            RETURNING *
        ) INSERT INTO ${sql(name)} SELECT * FROM early`
      if (state === "quickly read") {
        yield* lockStandard(sql, missing)
        yield* move
      } else {
        yield* move
        // VALIDATE takes a lock that lets readers and writers go on. After VALIDATE, ATTACH need not read the DEFAULT
        // partition.
        yield* sql`ALTER TABLE ${sql(standard)} VALIDATE CONSTRAINT ${sql(closingOf(missing))}`
        yield* lockStandard(sql, missing)
      }
      yield* sql.unsafe(
        `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${month.from}') TO ('${month.to}')`
      )
      yield* deleteClosings(sql, missing)
      return "made" as const
    })
  )

/**
 * Limits the wait for a lock, on every node of a cluster too. Citus sends LOCK from node to node, and a node without
 * this limit would wait for as long as the statement may take. PostgreSQL without Citus accepts the first setting as
 * one of an unknown extension.
 */
const waitBriefly = (sql: SqlClient) =>
  Effect.zipRight(
    sql`SET LOCAL citus.propagate_set_commands = 'local'`,
    sql`SET LOCAL lock_timeout = ${sql.literal(`'${LOCK_TIMEOUT}'`)}`
  )

const PartitionRow = Schema.Struct({ name: Schema.String, month: Schema.String })

const AGAIN = Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(4))

/**
 * Drops those partitions of past months that have no row to keep: empty ones, and partitions of the access log whose
 * month is past the retention time. Returns their names. Idempotent; several processes may run the function at the same
 * time. While it waits for a lock, the statements behind it wait for at most 200 ms at a time. A table that stays busy
 * is left to the next run. On a cluster, the function drops partitions only when it is connected to the coordinator.
 */
export const dropExpired = program(
  "Partitions.dropExpired",
  function* (now: Timestamp.Timestamp) {
    const dropped: Array<string> = []
    if (!(yield* mayChangeTables(yield* SqlClient))) return dropped
    const until = Retention.accessLogUntil(now)
    for (const { expires, table } of TABLES) {
      for (const { month, name } of yield* oldPartitions(table, now)) {
        const whatever = expires && endOf(month) <= until
        // Checks without a lock, because reading may take a moment; `drop` checks once more under the lock.
        if (!whatever && !(yield* isEmpty(name))) continue
        const outcome = yield* drop(table, name, whatever)
        if (outcome === "dropped") dropped.push(name)
        if (outcome === "busy") break
      }
    }
    return dropped
  },
  Failures.orStoreError
)

/** The table's partitions of months that are before the first month of `months(now)`. */
const oldPartitions = (table: string, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const rows = yield* sql`SELECT c.relname AS name, right(c.relname, 7) AS month
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = to_regclass(${table}) AND c.relname ~ ${`^${table}_[0-9]{4}_[0-9]{2}$`}
      ORDER BY c.relname`.pipe(Rows.all(PartitionRow))
    const [first] = months(now)
    return rows.filter(({ month }) => first !== undefined && month < first.suffix)
  })

const endOf = (month: string): number => {
  const start = DateTime.unsafeMake(`${month.replace("_", "-")}-01T00:00:00.000Z`)
  return DateTime.toEpochMillis(DateTime.add(start, { months: 1 }))
}

const isEmpty = (name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    return (yield* sql`SELECT 1 FROM ${sql(name)} LIMIT 1`).length === 0
  }).pipe(
    // 42P01: another process has dropped the partition.
    Effect.catchIf(
      (error) => Failures.sqlState(error) === "42P01",
      () => Effect.succeed(false)
    )
  )

/** Drops a partition if it is empty; when `whatever` is true, drops it even if it has rows. */
const drop = (table: string, name: string, whatever: boolean) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* waitBriefly(sql)
        yield* sql`SET LOCAL statement_timeout = '1s'`
        // Locks the parent table before the partition, as writers do.
        yield* sql`LOCK TABLE ONLY ${sql(table)} IN ACCESS EXCLUSIVE MODE`
        const there = yield* sql`SELECT 1 FROM pg_class WHERE oid = to_regclass(${name}) AND relispartition`
        if (there.length === 0 || (!whatever && !(yield* isEmpty(name)))) return "kept" as const
        yield* sql`DROP TABLE ${sql(name)}`
        return "dropped" as const
      })
    )
  }).pipe(
    Failures.orStoreError,
    Effect.retry({ schedule: AGAIN, while: (error) => error.transient }),
    Effect.catchIf(
      (error) => error.transient,
      () => Effect.as(Effect.logInfo("A table is busy: the next run drops its old partitions", table), "busy" as const)
    )
  )
