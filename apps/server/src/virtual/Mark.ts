import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { readFile, rename, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { DataFolder } from "@place-access/adapters-pg"
import { CannotStart, type Settings } from "@place-access/worker"
import { Effect, Option, Schema } from "effect"

/**
 * The mark of a test world: a file in its data folder, which contains the time of the world's clock. The server writes
 * the mark before it makes the database, so a folder with a database and without the mark contains real data (decision
 * virtual-time-1).
 */
export const Mark = Schema.Struct({
  /** The time that the clock showed when the mark was written, in milliseconds since 1970. */
  now: Schema.Int,
  /** The seed from which ids and secrets are derived; null: they are random. */
  seed: Schema.NullOr(Schema.String),
  /** The number of times that a server was started on the folder. */
  starts: Schema.Int
})
export type Mark = typeof Mark.Type

const pathIn = (dataDir: string): string => join(dataDir, DataFolder.TEST_WORLD)

/** Whether the folder belongs to a test world. */
const isMarked = (dataDir: string): boolean => existsSync(pathIn(dataDir))

/** Whether the folder has a database. A start that fails before it makes the database leaves at most a mark there. */
export const hasDatabase = (dataDir: string): boolean => existsSync(join(dataDir, "database", "PG_VERSION"))

/**
 * Fails when the folder belongs to a test world. Programs on the machine's clock call this function before they write
 * to the folder or copy its rows into another database, and before they carry out a command about accounts. `doctor`,
 * `keys status` and `backup` do not call it.
 */
export const refuseTestWorld = (dataDir: string): Effect.Effect<void, CannotStart> =>
  Effect.suspend(() =>
    isMarked(dataDir)
      ? Effect.fail(
          new CannotStart({
            fault: "settings",
            message:
              `The data folder ${resolve(dataDir)} belongs to a test world, whose clock is not this machine's. ` +
              "Start it with --clock virtual, or choose another DATA_DIR."
          })
        )
      : Effect.void
  )

/**
 * Calls `refuseTestWorld` for the folder of a program with these settings. Only the embedded database can be a test
 * world.
 */
export const refuseIn = (storage: Settings.Storage): Effect.Effect<void, CannotStart> =>
  storage._tag === "Embedded" ? refuseTestWorld(storage.dataDir) : Effect.void

const Written = Schema.parseJson(Mark)

/** Reads the mark of the folder; None when the folder is new. Fails for the folder of an ordinary service. */
export const read = (dataDir: string): Effect.Effect<Option.Option<Mark>, CannotStart> =>
  Effect.gen(function* () {
    if (!isMarked(dataDir)) {
      if (!hasDatabase(dataDir)) return Option.none()
      return yield* new CannotStart({
        fault: "settings",
        message:
          `The data folder ${resolve(dataDir)} holds the data of an ordinary service, so its clock cannot be virtual. ` +
          "Choose a new folder for DATA_DIR: it becomes a test world."
      })
    }
    const text = yield* Effect.promise(() => readFile(pathIn(dataDir), "utf8"))
    return yield* Effect.mapBoth(Schema.decodeUnknown(Written)(text), {
      onSuccess: Option.some,
      onFailure: () => new CannotStart({ message: `${pathIn(dataDir)} cannot be read: the file is damaged.` })
    })
  })

/** Writes the mark into an existing folder, either all of it or nothing. */
export const write = (dataDir: string, mark: Mark): Effect.Effect<void, CannotStart> =>
  Effect.tryPromise({
    try: async () => {
      // Two servers may start on the folder at the same time, so each has a draft of its own.
      const draft = `${pathIn(dataDir)}.${randomUUID()}`
      try {
        await writeFile(draft, `${JSON.stringify(mark)}\n`, { mode: 0o600 })
        await rename(draft, pathIn(dataDir))
      } finally {
        await rm(draft, { force: true })
      }
    },
    catch: (error) => new CannotStart({ message: DataFolder.unusable(dataDir, error).message })
  })
