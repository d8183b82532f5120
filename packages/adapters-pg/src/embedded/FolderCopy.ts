import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Data, Effect } from "effect"
import { constants, existsSync } from "node:fs"
import { cp, rename, rm } from "node:fs/promises"
import { join, resolve } from "node:path"
import { make, TEST_WORLD } from "./DataFolder.js"

/** A copy of a data folder could not be made. No part of the copy is left. */
export class CopyFailed extends Data.TaggedError("CopyFailed")<{ readonly message: string }> {}

/**
 * The entries that a data folder needs to be opened again. The lock file and the socket belong to the running process.
 */
const PARTS = ["database", "secret-keys", TEST_WORLD] as const
type Part = (typeof PARTS)[number]

/** `signal`: aborted when the transaction ends early, because other statements may change the files from then on. */
const copyParts = async (
  from: string,
  to: string,
  wanted: ReadonlyArray<Part>,
  signal: AbortSignal
): Promise<ReadonlyArray<Part>> => {
  const draft = `${to}.partial`
  if (!existsSync(join(from, "database", "PG_VERSION"))) throw new CopyFailed({ message: `${from} has no database` })
  await rm(draft, { recursive: true, force: true })
  try {
    await make(resolve(draft))
    const parts = wanted.filter((part) => existsSync(join(from, part)))
    for (const part of parts) {
      // On file systems that support this, the copy shares its blocks with the original and takes almost no time.
      await cp(join(from, part), join(draft, part), {
        recursive: true,
        // A part may be a link to a bigger disk: a copy of the link would be no copy.
        dereference: true,
        preserveTimestamps: true,
        mode: constants.COPYFILE_FICLONE
      })
      signal.throwIfAborted()
    }
    // The rename makes the copy complete or absent, also when the process is stopped half-way.
    await rename(draft, to)
    return parts
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error)

/**
 * Copies the data folder of the embedded database while the database is open, to a folder that does not exist yet. An
 * open transaction holds the one session for as long as the copy takes, so nothing changes the files meanwhile. Other
 * statements wait, and fail after ten seconds. `withoutKeys`: leaves out the file of keys, which a service with keys
 * from elsewhere does not use. Returns the entries of the folder that it copied.
 */
export const copyFolder = (
  from: string,
  to: string,
  { withoutKeys }: { readonly withoutKeys: boolean } = { withoutKeys: false }
): Effect.Effect<ReadonlyArray<Part>, SqlError | CopyFailed, SqlClient> =>
  Effect.gen(function* () {
    if (existsSync(to)) return yield* new CopyFailed({ message: `${to} exists already` })
    const sql = yield* SqlClient
    let isMade = false
    return yield* sql
      .withTransaction(
        Effect.gen(function* () {
          // Writes all changes to the tables' files, so that a process that opens the copy replays little of the
          // write-ahead log.
          yield* sql`CHECKPOINT`
          const parts = yield* Effect.tryPromise({
            try: (signal) =>
              copyParts(from, to, withoutKeys ? PARTS.filter((part) => part !== "secret-keys") : PARTS, signal),
            catch: (error) =>
              error instanceof CopyFailed
                ? error
                : new CopyFailed({ message: `${to} cannot be written (${reasonOf(error)})` })
          })
          isMade = true
          return parts
        })
      )
      .pipe(
        // When the commit fails, it is not certain that the transaction held the session all the time.
        Effect.onError(() => (isMade ? Effect.promise(() => rm(to, { recursive: true, force: true })) : Effect.void))
      )
  })
