import { Failures, Partitions, Rows } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import type { Statement } from "@effect/sql/Statement"
import { retryTransient, Timestamp } from "@place-access/domain/shared"
import { Check, type Contract } from "@place-access/domain/testing"
import { Clock, Deferred, Effect, Fiber, Option, Ref, TestClock } from "effect"

const at = (iso: string) => Timestamp.make(Date.parse(iso))

/** Inserts a fix of the user. Every case uses a different year, because the cases share a database. */
const insertFix = (userId: string, iso: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, received_at)
      VALUES (${userId}, ${Rows.at(at(iso))}, 'dev_1', 1, 2, ${Rows.at(at(iso))})`
  })

/**
 * The partition of each fix of the user, by capture time. On Citus the name of a shard is the name of its partition
 * with six digits after it.
 */
const homes = (userId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const rows = yield* sql<{ readonly home: string }>`
      SELECT regexp_replace(tableoid::regclass::text, '_[0-9]{6}$', '') AS home FROM fixes
      WHERE user_id = ${userId} ORDER BY captured_at`
    return rows.map(({ home }) => home)
  })

/** For how many months a constraint closes the DEFAULT partition of `fixes`, so that it refuses rows of the month. */
const closings = Effect.gen(function* () {
  const sql = yield* SqlClient
  return (yield* sql`SELECT 1 FROM pg_constraint WHERE conname LIKE 'fixes\\_default\\_without\\_%'`).length
})

export const partitionsContract: Contract<SqlClient> = [
  {
    name: "makes four months of each of the three tables, and nothing the second time",
    run: Effect.gen(function* () {
      const now = at("2031-06-15T00:00:00.000Z")
      const months = ["2031_05", "2031_06", "2031_07", "2031_08"]
      Check.equal(
        yield* Partitions.ensurePartitions(now),
        ["fixes", "access_log", "delivery_attempts"].flatMap((table) => months.map((month) => `${table}_${month}`)),
        "made at first"
      )
      Check.equal(yield* Partitions.ensurePartitions(now), [], "made again")
      Check.equal(
        yield* Partitions.ensurePartitions(at("2031-07-01T00:00:00.000Z")),
        ["fixes_2031_09", "access_log_2031_09", "delivery_attempts_2031_09"],
        "made a month later"
      )
    })
  },
  {
    name: "a row goes to its month; the first and the last instant belong to it, others stay in the default partition",
    run: Effect.gen(function* () {
      yield* Partitions.ensurePartitions(at("2032-06-15T00:00:00.000Z"))
      yield* insertFix("usr_edges", "2032-04-30T23:59:59.999Z")
      yield* insertFix("usr_edges", "2032-05-01T00:00:00.000Z")
      yield* insertFix("usr_edges", "2032-05-31T23:59:59.999Z")
      yield* insertFix("usr_edges", "2032-06-01T00:00:00.000Z")
      yield* insertFix("usr_edges", "2032-09-01T00:00:00.000Z")
      Check.equal(
        yield* homes("usr_edges"),
        ["fixes_default", "fixes_2032_05", "fixes_2032_05", "fixes_2032_06", "fixes_default"],
        "where the rows are"
      )
    })
  },
  {
    name: "rows that came before their partition are moved into it, each exactly once, and keep their key",
    run: Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* insertFix("usr_early", "2033-05-01T00:00:00.000Z")
      yield* insertFix("usr_early", "2033-06-10T00:00:00.000Z")
      // This fix is of the first instant of July. The move into the partition of June, which comes first, must leave
      // the fix out.
      yield* insertFix("usr_early", "2033-07-01T00:00:00.000Z")
      yield* insertFix("usr_early", "2040-01-01T00:00:00.000Z")
      Check.equal(
        yield* homes("usr_early"),
        Array.from({ length: 4 }, () => "fixes_default"),
        "before"
      )
      yield* Partitions.ensurePartitions(at("2033-06-15T00:00:00.000Z"))
      Check.equal(
        yield* homes("usr_early"),
        ["fixes_2033_05", "fixes_2033_06", "fixes_2033_07", "fixes_default"],
        "after"
      )
      const again = sql`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, received_at)
        VALUES ('usr_early', '2033-06-10T00:00:00Z', 'dev_1', 1, 2, '2033-06-10T00:00:00Z')`
      Check.isTrue((yield* Effect.either(again))._tag === "Left", "the same fix is refused in the new partition")
    })
  },
  {
    name: "after a run that was killed, rows of its month are refused for a passing reason, and the next run makes it [sweeps-3]",
    run: Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* insertFix("usr_killed", "2039-06-09T00:00:00.000Z")
      // A run first adds this constraint and then reads the rows of the DEFAULT partition. A run that is killed in
      // between leaves the constraint behind.
      yield* sql`ALTER TABLE fixes_default ADD CONSTRAINT fixes_default_without_2039_06
        CHECK (captured_at < '2039-06-01T00:00:00Z' OR captured_at >= '2039-07-01T00:00:00Z') NOT VALID`
      const refused = yield* Effect.flip(insertFix("usr_killed", "2039-06-10T00:00:00.000Z"))
      Check.isTrue(Failures.isTransient(refused), "a passing reason")
      yield* insertFix("usr_killed", "2039-08-10T00:00:00.000Z")
      yield* Partitions.ensurePartitions(at("2039-06-15T00:00:00.000Z"))
      yield* insertFix("usr_killed", "2039-06-10T00:00:00.000Z")
      Check.equal(yield* homes("usr_killed"), ["fixes_2039_06", "fixes_2039_06", "fixes_2039_08"], "where they are")
      Check.equal(yield* closings, 0, "no month stays closed")
    })
  },
  {
    name: "may be raced: everybody succeeds and each partition is made once",
    run: Effect.gen(function* () {
      yield* insertFix("usr_raced", "2034-06-10T00:00:00.000Z")
      const made = yield* Effect.all(
        Array.from({ length: 4 }, () => Partitions.ensurePartitions(at("2034-06-15T00:00:00.000Z"))),
        { concurrency: "unbounded" }
      )
      Check.equal(made.flat().length, 12, "partitions made by all together")
      Check.equal(yield* homes("usr_raced"), ["fixes_2034_06"], "where the row is")
    })
  }
]

const exists = (name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    return (yield* sql`SELECT 1 FROM pg_class WHERE relname = ${name} AND relispartition`).length > 0
  })

const insertEntry = (userId: string, iso: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`INSERT INTO access_log (user_id, at, entry_id, app_id, connection_id, endpoint, status)
      VALUES (${userId}, ${Rows.at(at(iso))}, 'log_1', 'app_1', 'con_1', 'GET /v1/me', 200)`
  })

/** Runs with a clock that moves, because a program that finds a table busy sleeps before it retries. */
const inTime = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(program)
    while (Option.isNone(yield* Fiber.poll(fiber))) {
      yield* TestClock.adjust("1 second")
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
    }
    return yield* Fiber.join(fiber)
  })

/**
 * These cases run in this order and on a separate database, because each of them drops partitions, including those that
 * other cases made.
 */
export const expiredPartitions: Contract<SqlClient> = [
  {
    name: "drops months that are over and empty; those with a row, the one before this one and the default stay",
    run: Effect.gen(function* () {
      const now = at("2031-06-15T00:00:00.000Z")
      for (const month of ["2031-01", "2031-04", "2031-06"]) {
        yield* Partitions.ensurePartitions(at(`${month}-15T00:00:00.000Z`))
      }
      yield* insertFix("usr_kept", "2031-01-10T00:00:00.000Z")
      yield* insertFix("usr_kept", "2020-01-10T00:00:00.000Z")
      const dropped = yield* Partitions.dropExpired(now)
      Check.equal(
        dropped.filter((name) => name.startsWith("fixes")),
        ["fixes_2030_12", "fixes_2031_02", "fixes_2031_03", "fixes_2031_04"],
        "fixes"
      )
      Check.equal(dropped.filter((name) => name.startsWith("delivery_attempts")).length, 5, "attempts")
      Check.equal(yield* Partitions.dropExpired(now), [], "nothing more")
      Check.equal(yield* homes("usr_kept"), ["fixes_default", "fixes_2031_01"], "rows are where they were")
      for (const name of ["fixes_2031_05", "fixes_2031_06", "fixes_2031_08", "access_log_2031_05"]) {
        Check.isTrue(yield* exists(name), `${name} stays`)
      }
      yield* insertFix("usr_late", "2031-02-10T00:00:00.000Z")
      Check.equal(yield* homes("usr_late"), ["fixes_default"], "a late reading of a dropped month still has a home")
    })
  },
  {
    name: "a month of the access log goes with its rows once its last instant is 400 days old, and not a millisecond earlier",
    run: Effect.gen(function* () {
      yield* Partitions.ensurePartitions(at("2032-02-15T00:00:00.000Z"))
      yield* insertEntry("usr_logged", "2032-01-31T23:59:59.999Z")
      yield* insertFix("usr_logged", "2032-01-31T23:59:59.999Z")
      // 400 days after 1 February 2032. At this moment, every entry of January is older than 400 days.
      const end = at("2033-03-07T00:00:00.000Z")
      yield* Partitions.dropExpired(Timestamp.plus(end, -1))
      Check.isTrue(yield* exists("access_log_2032_01"), "a millisecond too early")
      Check.isTrue((yield* Partitions.dropExpired(end)).includes("access_log_2032_01"), "dropped")
      Check.equal(yield* homes("usr_logged"), ["fixes_2032_01"], "fixes have no such limit")
    })
  },
  {
    name: "may be raced: everybody succeeds and each partition is dropped once",
    run: Effect.gen(function* () {
      yield* Partitions.ensurePartitions(at("2035-01-15T00:00:00.000Z"))
      const now = at("2035-06-15T00:00:00.000Z")
      Check.isTrue(yield* exists("fixes_2035_01"), "there is something to drop")
      const four = Array.from({ length: 4 }, () => Partitions.dropExpired(now))
      const dropped = yield* inTime(Effect.all(four, { concurrency: "unbounded" }))
      const names = [...dropped.flat(), ...(yield* inTime(Partitions.dropExpired(now)))]
      Check.equal(names.length, new Set(names).size, "each once")
      Check.isTrue(!(yield* exists("fixes_2035_01")), "it is gone")
    })
  }
]

/**
 * Starts another transaction, whose first statement `first` takes a lock on the table `fixes`. The returned effect
 * `end` ends this transaction.
 */
const whileSomebodyReads = (first: Statement<unknown>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const [begun, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    // The transaction continues to send statements, as `pg_dump` does, so that a lost connection is noticed
    // immediately.
    const reads = sql`SELECT 1`.pipe(
      Effect.zipRight(Effect.sleep("50 millis")),
      Effect.withClock(Clock.make()),
      Effect.forever
    )
    const reader = yield* Effect.fork(
      sql.withTransaction(
        first.pipe(
          Effect.zipRight(Deferred.succeed(begun, undefined)),
          Effect.zipRight(Effect.race(reads, Deferred.await(done)))
        )
      )
    )
    yield* Effect.race(Deferred.await(begun), Fiber.join(reader))
    return { reader, end: Effect.zipRight(Deferred.succeed(done, undefined), Fiber.join(reader)) }
  })

/** In these cases another connection has a lock of the table, so the cases need a server. */
export const busyPartitions: Contract<SqlClient> = [
  {
    name: "a month that is due during a backup is left for another time; its rows have a place, and are moved later",
    run: Effect.gen(function* () {
      const sql = yield* SqlClient
      const now = at("2037-06-15T00:00:00.000Z")
      // A backup with `pg_dump` takes locks of this kind, and keeps them until it ends.
      const backup = yield* whileSomebodyReads(sql`LOCK TABLE fixes IN ACCESS SHARE MODE`)
      const made = yield* Partitions.ensurePartitions(now)
      const ended = yield* Fiber.poll(backup.reader)
      Check.isTrue(Option.isNone(ended), `the backup still holds its lock: ${String(Option.getOrNull(ended))}`)
      Check.equal(
        made.filter((name) => name.startsWith("fixes_")),
        [],
        "no partition of the table that is in use"
      )
      Check.isTrue(made.includes("access_log_2037_06"), "those of others")
      yield* insertFix("usr_dumped", "2037-06-10T00:00:00.000Z")
      Check.equal(yield* homes("usr_dumped"), ["fixes_default"], "during the backup")
      yield* backup.end
      Check.equal((yield* Partitions.ensurePartitions(now)).length, 4, "made another time")
      Check.equal(yield* homes("usr_dumped"), ["fixes_2037_06"], "after the backup")
    })
  },
  {
    name: "a table that somebody reads for long is left for another time, and its writers are not held up",
    run: Effect.gen(function* () {
      const sql = yield* SqlClient
      const now = at("2036-06-15T00:00:00.000Z")
      yield* Partitions.ensurePartitions(at("2036-01-15T00:00:00.000Z"))
      const report = yield* whileSomebodyReads(sql`SELECT 1 FROM fixes LIMIT 1`)
      const dropping = yield* Effect.fork(inTime(Partitions.dropExpired(now)))
      for (let count = 0; count < 20; count++) yield* insertFix("usr_busy", `2036-06-10T00:00:${count + 10}.000Z`)
      const dropped = yield* Fiber.join(dropping)
      Check.equal(
        dropped.filter((name) => name.startsWith("fixes_")),
        [],
        "no partition of the busy table"
      )
      Check.isTrue(dropped.includes("access_log_2036_01"), "those of others")
      Check.isTrue(yield* exists("fixes_2036_01"), "it is still there")
      yield* report.end
      Check.isTrue((yield* inTime(Partitions.dropExpired(now))).includes("fixes_2036_01"), "another time")
      Check.equal((yield* homes("usr_busy")).length, 20, "every row of the writers")
    })
  }
]

/** These cases need writers that run at the same time. */
export const partitionsUnderLoad: Contract<SqlClient> = [
  {
    name: "writers go on meanwhile; whoever is refused is refused for a passing reason, and no row is lost",
    run: Effect.gen(function* () {
      const stop = yield* Ref.make(false)
      const write = (writer: number) =>
        Effect.gen(function* () {
          let written = 0
          while (!(yield* Ref.get(stop))) {
            const minute = String(written % 60).padStart(2, "0")
            const hour = String(Math.floor(written / 60) % 24).padStart(2, "0")
            const day = String((Math.floor(written / 1440) % 28) + 1).padStart(2, "0")
            yield* insertFix(`usr_load_${writer}`, `2035-06-${day}T${hour}:${minute}:00.000Z`).pipe(
              Failures.orStoreError,
              retryTransient(5)
            )
            written++
          }
          return written
        })
      const [counts] = yield* Effect.all(
        [
          Effect.all([write(1), write(2), write(3)], { concurrency: "unbounded" }),
          Partitions.ensurePartitions(at("2035-06-15T00:00:00.000Z")).pipe(Effect.ensuring(Ref.set(stop, true)))
        ],
        { concurrency: "unbounded" }
      )
      for (const [index, written] of counts.entries()) {
        const found = yield* homes(`usr_load_${index + 1}`)
        Check.equal(found.length, written, "rows of a writer")
        Check.isTrue(
          found.every((home) => home === "fixes_2035_06"),
          "all rows are in the partition"
        )
      }
    })
  }
]
