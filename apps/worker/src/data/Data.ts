import {
  type Database,
  Failures,
  KeyCanary,
  layerEmbedded,
  layerPostgres,
  Migrator,
  NodeVault,
  Partitions,
  SqlLeaseStore
} from "@place-access/adapters-pg"
import { Timestamp, type Vault, Words } from "@place-access/domain/shared"
import { type Duration, Effect, Layer, Option, Schedule } from "effect"
import { CannotStart } from "../CannotStart.js"
import * as SecretKeysFile from "../settings/SecretKeysFile.js"
import type { Storage } from "../settings/Settings.js"

/** How a program opens its database. */
export interface Opening {
  /**
   * How long to retry while the database does not answer. Retries end early after an error that a retry cannot cure.
   */
  readonly patience: Duration.DurationInput
  /**
   * Receives a text that names what is still missing, such as "the database does not answer". Every failed attempt
   * sends the text again.
   */
  readonly onMissing: (what: string) => void
  /** True: a database that lacks migrations is refused and left as it is. Otherwise the migrations are applied. */
  readonly mustBeMigrated?: boolean
  /** Whether the program is a command: a command stores a key canary only if there is none (`KeyCanary.keep`). */
  readonly isCommand?: boolean
}

/**
 * How commands open the database. The database may be starting at the same time, so a command retries for a minute. It
 * does not retry for longer, because a person waits at the terminal.
 */
export const COMMAND: Opening = { patience: "60 seconds", onMissing: () => undefined, isCommand: true }

/**
 * How commands open a database that is in use, perhaps by an older release. They apply no migrations, because a
 * migration cannot be undone.
 */
export const WITHOUT_MIGRATING: Opening = { ...COMMAND, mustBeMigrated: true }

const retries = ({ patience }: Opening) =>
  Schedule.exponential("250 millis").pipe(
    Schedule.union(Schedule.spaced("5 seconds")),
    Schedule.intersect(Schedule.recurUpTo(patience))
  )

const sayAway = ({ onMissing }: Opening, error: Error, reason: string) =>
  Effect.suspend(() => {
    const what = Failures.isReadOnly(error) ? "accepts no writes" : "does not answer"
    onMissing(`the database ${what}`)
    return Effect.logWarning(`The database ${what} yet: ${reason}`)
  })

/** Opens the database that the settings name. `program` is the name of the connections in `pg_stat_activity`. */
const database = (settings: Storage, program: string, opening: Opening): Layer.Layer<Database, CannotStart> =>
  settings._tag === "Embedded"
    ? Layer.mapError(
        layerEmbedded({ dataDir: settings.dataDir }),
        (error) =>
          new CannotStart({
            message: error._tag === "SqlError" ? `${error.message}: ${reason(error)}` : error.message
          })
      )
    : layerPostgres({ url: settings.url, poolSize: settings.poolSize, applicationName: program }).pipe(
        Layer.tapError((error) => (Failures.isTransient(error) ? sayAway(opening, error, reason(error)) : Effect.void)),
        Layer.retry(Schedule.whileInput(retries(opening), Failures.isTransient)),
        Layer.mapError(
          (error) => new CannotStart({ message: `The database in DATABASE_URL cannot be used: ${reason(error)}.` })
        )
      )

/**
 * The message of the driver or the server. It never contains the address of the database, in which there is a password.
 */
const reason = (error: { readonly cause?: unknown; readonly message: string }): string =>
  error.cause instanceof AggregateError
    ? error.cause.errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join("; ")
    : error.cause instanceof Error
      ? error.cause.message
      : error.message

/** Opens the database and leaves its schema as it is. */
export const asItIs = database

/**
 * Opens the database with this program's schema, the partitions of the coming months, and the keys. The keys are loaded
 * before the database is opened: opening an embedded database creates it, and keys are never created for a database
 * that exists already. Wrong keys are refused before anything is written.
 */
export const withKeys = (
  settings: Storage,
  program: string,
  opening: Opening
): Layer.Layer<Database | Vault.Vault, CannotStart> =>
  database(settings, program, opening).pipe(
    Layer.provideMerge(vault(settings)),
    Layer.tap((context) => Effect.provide(prepare(settings, opening), context))
  )

const prepare = (settings: Storage, opening: Opening) =>
  Effect.gen(function* () {
    opening.onMissing("the database's schema is not up to date")
    yield* KeyCanary.check()
    if (opening.mustBeMigrated === true) yield* requireMigrations
    const applied = yield* Migrator.migrate
    const newest = applied.at(-1)
    if (newest !== undefined)
      yield* Effect.logInfo(`${Words.count(applied.length, "migration")} applied, the newest is ${newest}`)
    yield* KeyCanary.keep(opening.isCommand)
    if (settings._tag === "Embedded") yield* SqlLeaseStore.forgetWorkers
    yield* makePartitions
  }).pipe(
    Effect.tapError((error) => (Failures.isTransient(error) ? sayAway(opening, error, describe(error)) : Effect.void)),
    Effect.retry(Schedule.whileInput(retries(opening), Failures.isTransient)),
    Effect.mapError((error) =>
      error._tag === "CannotStart"
        ? error
        : error._tag === "WrongKeys"
          ? wrongKeys(settings, error.keyId)
          : new CannotStart({ message: `The database could not be brought up to date: ${describe(error)}.` })
    )
  )

/**
 * Makes the partitions of the coming months. When that fails, for example because it takes too long, the program starts
 * without them: rows without a partition go to the DEFAULT partition, and a worker makes the partitions within the
 * hour.
 */
const makePartitions = Timestamp.now.pipe(
  Effect.flatMap((now) => Partitions.ensurePartitions(now, "10 seconds")),
  Effect.catchAll((error) =>
    Effect.logWarning(`The partitions of the coming months were not made; a worker will make them: ${describe(error)}`)
  )
)

const requireMigrations = Effect.filterOrFail(
  Migrator.missing,
  (missing) => missing.length === 0,
  (missing) =>
    new CannotStart({
      message:
        `The database has an older schema: ${Words.count(missing.length, "migration is", "migrations are")} missing. ` +
        "Use the release that the database belongs to, or make a backup and run npm start -- migrate. Nothing was changed."
    })
)

const wrongKeys = (settings: Storage, keyId: string): CannotStart => {
  const keys =
    settings._tag === "Embedded" && Option.isNone(settings.keys)
      ? `The keys in ${SecretKeysFile.pathIn(settings.dataDir)}`
      : "The keys in SECRET_KEYS"
  return new CannotStart({
    fault: "settings",
    message: `${keys} are not those of this database, which was last used with a key "${keyId}": give that key too, behind newer ones; nothing was changed.`
  })
}

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const inner = error.cause === undefined ? "" : describe(error.cause)
  return inner === "" ? error.message : inner
}

/** The keys from the settings, or else the keys in the data folder. */
export const vault = (settings: Storage): Layer.Layer<Vault.Vault, CannotStart> =>
  Layer.unwrapEffect(
    Effect.map(
      settings._tag === "Postgres"
        ? Effect.succeed(settings.keys)
        : Option.match(settings.keys, { onNone: () => SecretKeysFile.load(settings.dataDir), onSome: Effect.succeed }),
      NodeVault.layer
    )
  )
