import { DatabaseTime, DataFolder, Failures, KeyCanary, KeyUsage, Migrator } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Data, type Settings } from "@place-access/worker"
import { Effect, Layer } from "effect"
import * as Check from "./Check.js"
import * as clock from "./clock.js"
import { adviceFor, summary } from "../operator/keys.js"
import * as WorldKeys from "../virtual/WorldKeys.js"

/** Checks the database without changing its content: applies no migration, and creates no database and no keys. */
export const database = (storage: Settings.Storage): Effect.Effect<ReadonlyArray<Check.Finding>> =>
  Effect.gen(function* () {
    // When the folder has no database, the check ends here, because opening such a folder would make a database and
    // keys.
    if (storage._tag === "Embedded" && !(yield* DataFolder.hasDatabase(storage.dataDir))) {
      return [
        Check.warning(
          "database",
          `${storage.dataDir} has no database yet`,
          "The first start makes it. If the service ran before, DATA_DIR is the wrong folder."
        )
      ]
    }
    return yield* existing(yield* WorldKeys.ofFolder(storage))
  }).pipe(
    Effect.catchAll((error) =>
      Effect.succeed([
        Check.problem(
          "database",
          Failures.said(error) ?? (error instanceof Error ? error.message : "it cannot be read"),
          storage._tag === "Embedded"
            ? "Look at DATA_DIR: who owns it, and whether another process uses it."
            : "Check DATABASE_URL, that the server runs and lets this machine in, and that the tables belong to its role."
        )
      ])
    )
  )

interface ServerState {
  readonly encoding: string
  readonly isReadOnly: boolean
  readonly isReplica: boolean
}

/** The problems of a PostgreSQL server that do not keep the service from starting, but keep it from working. */
const unfit = ({ encoding, isReadOnly, isReplica }: ServerState): ReadonlyArray<Check.Finding> => [
  ...(isReplica
    ? [
        Check.problem(
          "database",
          "PostgreSQL accepts no writes: it is a replica",
          "Set DATABASE_URL to the primary server. Until then no server is ready."
        )
      ]
    : isReadOnly
      ? [
          Check.problem(
            "database",
            "PostgreSQL accepts no writes: default_transaction_read_only is on",
            "Ask who set it; a provider may do so when the disk is nearly full. Until then no server is ready."
          )
        ]
      : []),
  ...(encoding === "UTF8"
    ? []
    : [
        Check.problem(
          "database",
          `its encoding is ${encoding}, which cannot store every text`,
          "Make it again with createdb --encoding UTF8 --template template0. Restore a dump of it if it has data."
        )
      ])
]

const unfitness = Effect.flatMap(SqlClient, (sql) =>
  Effect.map(
    sql<ServerState>`SELECT current_setting('server_encoding') AS "encoding", pg_is_in_recovery() AS "isReplica",
      current_setting('transaction_read_only')::boolean AS "isReadOnly"`,
    (rows) => rows.flatMap(unfit)
  )
)

const existing = (storage: Settings.Storage) =>
  Effect.gen(function* () {
    const problems = storage._tag === "Postgres" ? yield* unfitness : []
    const missing = yield* Migrator.missing
    const keys = yield* Effect.either(KeyCanary.check())
    const offset = storage._tag === "Postgres" ? yield* Effect.either(DatabaseTime.offset()) : undefined
    const used = missing.length === 0 ? yield* summary(yield* KeyUsage.count()) : []
    return [
      Check.ok("database", storage._tag === "Embedded" ? "the embedded database opens" : "PostgreSQL answers"),
      ...problems,
      missing.length === 0
        ? Check.ok("migrations", "the schema is up to date")
        : Check.warning(
            "migrations",
            `${missing.length} are missing`,
            "The next start applies them, and so does npm start -- migrate. Make a backup first."
          ),
      keys._tag === "Right"
        ? Check.ok("keys", "they open what is sealed in the database")
        : keys.left._tag === "WrongKeys"
          ? Check.problem(
              "keys",
              `they are not those of this database, which was last used with a key "${keys.left.keyId}"`,
              "Put that key back into SECRET_KEYS, behind newer ones. The server refuses to start without it."
            )
          : Check.problem("keys", "the database did not answer", "Try again."),
      ...used.flatMap((key) => {
        const advice = adviceFor(key)
        return key.state === "absent" && advice !== null
          ? [Check.problem(`key "${key.id}"`, `${key.count} sealed values need it, and it is not given`, advice)]
          : []
      }),
      ...(offset?._tag === "Right" ? [clock.judgedByDatabase(offset.right)] : [])
    ]
  }).pipe(Effect.provide(Layer.merge(Data.asItIs(storage, "place-access doctor", ONCE), Data.vault(storage))))

/** The doctor does not wait while the database does not answer. */
const ONCE: Data.Opening = { patience: "1 millis", onMissing: () => undefined }
