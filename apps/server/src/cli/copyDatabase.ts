import { Copy, type Database, Failures, KeyCanary, Migrator } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Words } from "@place-access/domain/shared"
import { CannotStart, Data, type Settings } from "@place-access/worker"
import { Console, Context, Effect, Layer, Option } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { refuseTestWorld } from "../virtual/Mark.js"

const PROGRAM = "place-access db copy"

/**
 * For operators who move to PostgreSQL: copies the embedded database in the folder `from` into the empty database at
 * DATABASE_URL. The rows in the folder do not change. SECRET_KEYS must have the keys of the folder.
 */
export const copyDatabase = (from: string, storage: Settings.Storage): Effect.Effect<void, CannotStart> =>
  Effect.gen(function* () {
    if (storage._tag === "Embedded") {
      return yield* new CannotStart({
        fault: "settings",
        message: "DATABASE_URL is missing: it names the PostgreSQL that the rows are copied into. Nothing was copied."
      })
    }
    if (!existsSync(join(from, "database", "PG_VERSION"))) {
      return yield* new CannotStart({ message: `There is no embedded database in ${from}. Nothing was copied.` })
    }
    yield* refuseTestWorld(from)
    const keys = yield* Layer.build(Data.vault(storage))
    const source = yield* Layer.build(
      Data.asItIs({ _tag: "Embedded", dataDir: from, keys: Option.some(storage.keys) }, PROGRAM, Data.COMMAND)
    )
    yield* KeyCanary.check().pipe(
      Effect.provide(Context.merge(source, keys)),
      Effect.catchTag("WrongKeys", () => wrongKeys(from))
    )
    const missing = yield* Effect.provide(Migrator.missing, source)
    if (missing.length > 0) {
      return yield* new CannotStart({
        message: `The database in ${from} was last used by an older version. Start this version on it once, stop it, and copy then. Nothing was copied.`
      })
    }
    const target = yield* Layer.build(Data.asItIs(storage, PROGRAM, Data.COMMAND))
    // Migrations cannot be undone, so a target database that is not empty is refused before the migrations run on it.
    yield* Copy.refuseRows(sqlOf(target))
    yield* Effect.provide(Migrator.migrate, target)
    const copied = yield* Copy.copy(sqlOf(source), sqlOf(target), ({ name, rows }) =>
      Console.log(`${name}: ${Words.count(rows, "row")}`)
    ).pipe(
      // The copy is one transaction of the target, and the answer to its COMMIT may be lost. The target had no rows
      // before, so rows that a repeated command finds are the copy.
      Effect.catchTag("SqlError", (error) =>
        lost(
          error,
          "Nothing was copied, or all. Repeat the command: if it says that the target has rows, the copy is complete."
        )
      )
    )
    const rows = copied.reduce((sum, table) => sum + table.rows, 0)
    yield* Console.log(
      `Copied and compared ${Words.count(rows, "row")}. ${from} is unchanged: keep it until the new service has run for a while.`
    )
  }).pipe(
    Effect.scoped,
    Effect.catchTags({
      CopyRefused: ({ message }) => new CannotStart({ message: `${message}. Nothing was copied.` }),
      MigrationRefused: ({ message }) => new CannotStart({ message: `${message}. Nothing was copied.` }),
      SqlError: (error) => lost(error, "Nothing was copied."),
      ParseError: () => new CannotStart({ message: "A database's catalogue cannot be read. Nothing was copied." })
    })
  )

const lost = (error: SqlError, outcome: string) =>
  new CannotStart({
    message: `A database did not answer or refused (${Failures.sqlState(error) ?? "no connection"}). ${outcome}`
  })

const sqlOf = (context: Context.Context<Database>): SqlClient => Context.unsafeGet(context, SqlClient)

const wrongKeys = (from: string) =>
  new CannotStart({
    fault: "settings",
    message: `SECRET_KEYS are not the keys of the database in ${from}: set SECRET_KEYS to the content of ${join(from, "secret-keys")}. Nothing was copied.`
  })
