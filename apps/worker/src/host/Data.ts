import {
  type Database,
  Failures,
  layerEmbedded,
  layerPostgres,
  Migrator,
  NodeVault,
  Partitions
} from "@place-access/adapters-pg"
import { Timestamp, type Vault } from "@place-access/domain/shared"
import { Duration, Effect, Layer, Option, Schedule } from "effect"
import { CannotStart } from "./CannotStart.js"
import * as SecretKeysFile from "./SecretKeysFile.js"
import type { Storage } from "./Settings.js"

/** A server that starts together with us may need so long. */
const PATIENCE = Duration.seconds(60)

/** Opens the database that the settings name; `program` is what the server's list of connections shows. */
const database = (settings: Storage, program: string): Layer.Layer<Database, CannotStart> =>
  settings._tag === "Embedded"
    ? Layer.mapError(
        layerEmbedded({ dataDir: settings.dataDir }),
        (error) =>
          new CannotStart({
            message: error._tag === "SqlError" ? `${error.message}: ${reason(error)}` : error.message
          })
      )
    : layerPostgres({ url: settings.url, poolSize: settings.poolSize, applicationName: program }).pipe(
        Layer.tapError((error) =>
          Failures.isTransient(error)
            ? Effect.logWarning(`PostgreSQL does not answer yet: ${reason(error)}`)
            : Effect.void
        ),
        Layer.retry(
          Schedule.exponential("250 millis").pipe(
            Schedule.union(Schedule.spaced("5 seconds")),
            Schedule.intersect(Schedule.recurUpTo(PATIENCE)),
            Schedule.whileInput(Failures.isTransient)
          )
        ),
        Layer.mapError(
          (error) => new CannotStart({ message: `The database in DATABASE_URL cannot be used: ${reason(error)}.` })
        )
      )

/** What the driver or the server said; never the address, which holds the password. */
const reason = (error: { readonly cause?: unknown; readonly message: string }): string =>
  error.cause instanceof AggregateError
    ? error.cause.errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join("; ")
    : error.cause instanceof Error
      ? error.cause.message
      : error.message

/** The same, as it is: with whatever schema it has. */
export const asItIs = database

/** The same, with the schema of this program and the partitions of the coming months. */
export const upToDate = (settings: Storage, program: string): Layer.Layer<Database, CannotStart> =>
  Layer.tap(database(settings, program), (context) => Effect.provide(prepare, context))

const prepare = Effect.gen(function* () {
  const applied = yield* Migrator.migrate
  if (applied.length > 0) yield* Effect.logInfo(`migrations applied: ${applied.join(", ")}`)
  yield* Partitions.ensurePartitions(yield* Timestamp.now)
}).pipe(
  Effect.mapError(
    (error) => new CannotStart({ message: `The database could not be brought up to date: ${describe(error)}.` })
  )
)

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const inner = error.cause === undefined ? "" : describe(error.cause)
  return inner === "" ? error.message : inner
}

/** The keys that the settings give, or those of the data folder. */
export const vault = (settings: Storage): Layer.Layer<Vault.Vault, CannotStart> =>
  Layer.unwrapEffect(
    Effect.map(
      settings._tag === "Postgres"
        ? Effect.succeed(settings.keys)
        : Option.match(settings.keys, { onNone: () => SecretKeysFile.load(settings.dataDir), onSome: Effect.succeed }),
      NodeVault.layer
    )
  )
