import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Data, Effect } from "effect"
import { constants, existsSync } from "node:fs"
import { cp, open, readdir, rename, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import * as Failures from "../Failures.js"
import { make, TEST_WORLD } from "./DataFolder.js"

/** A copy of a data folder could not be made. No part of the copy is left. */
export class CopyFailed extends Data.TaggedError("CopyFailed")<{ readonly message: string }> {}

/**
 * The entries that a program needs to open a data folder. A copy leaves out the lock file and the socket, which belong
 * to the running process.
 */
const PARTS = ["database", "secret-keys", TEST_WORLD] as const
type Part = (typeof PARTS)[number]

/**
 * The folder in which a copy is made, before the copy gets its final name. A killed process leaves this folder behind
 * with some of the entries in `PARTS`, and the next copy deletes the folder. If the folder has an entry that is not in
 * `PARTS`, it is not an unfinished copy: the next copy fails and deletes nothing.
 */
const draftOf = (to: string): string => `${to}.partial`

const clear = async (draft: string): Promise<void> => {
  if (!existsSync(draft)) return
  const parts: ReadonlyArray<string> = PARTS
  if ((await readdir(draft)).some((name) => !parts.includes(name))) {
    throw new CopyFailed({ message: `${draft} exists already, and is no unfinished copy` })
  }
  await rm(draft, { recursive: true })
}

/**
 * `signal` is aborted when the copy is interrupted. The transaction that keeps the files unchanged then ends, and other
 * statements may change the files, so the copy fails.
 */
const copyParts = async (
  disk: Disk,
  from: string,
  draft: string,
  wanted: ReadonlyArray<Part>,
  signal: AbortSignal
): Promise<ReadonlyArray<Part>> => {
  if (!existsSync(join(from, "database", "PG_VERSION"))) throw new CopyFailed({ message: `${from} has no database` })
  await make(resolve(draft))
  const parts = wanted.filter((part) => existsSync(join(from, part)))
  for (const part of parts) {
    await disk.copy(join(from, part), join(draft, part), () => signal.throwIfAborted())
    signal.throwIfAborted()
  }
  return parts
}

/** The operations of a copy that can take long or fail. Tests replace them. */
export interface Disk {
  /** Copies the file or folder. Calls `goOn` before each file: `goOn` throws when the copy was interrupted. */
  readonly copy: (from: string, to: string, goOn: () => void) => Promise<void>
  /** Waits until the file, or the list of names in the folder, is on the disk. */
  readonly flush: (path: string) => Promise<void>
  /** Deletes the folder with all that is in it, if it exists. */
  readonly remove: (path: string) => Promise<void>
}

export const DISK: Disk = {
  copy: (from, to, goOn) =>
    cp(from, to, {
      recursive: true,
      filter: () => {
        goOn()
        return true
      },
      // A part may be a link to a bigger disk. Without this option, only the link would be copied.
      dereference: true,
      preserveTimestamps: true,
      // On file systems that can do this, the copy shares its blocks with the original and takes almost no time.
      mode: constants.COPYFILE_FICLONE
    }),
  flush: async (path) => {
    const file = await open(path, "r")
    try {
      await file.sync()
    } finally {
      await file.close()
    }
  },
  remove: (path) => rm(path, { recursive: true, force: true })
}

/**
 * Error codes of file systems that cannot flush a folder (SMB, FUSE). Such a file system writes a folder's list of
 * names without a flush.
 */
const CANNOT_FLUSH: ReadonlySet<unknown> = new Set(["EINVAL", "EPERM", "ENOTSUP", "EISDIR"])

const flushFolder = (disk: Disk, path: string): Promise<void> =>
  disk.flush(path).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && CANNOT_FLUSH.has(error.code))) throw error
  })

/**
 * Writes all files of the unfinished copy (`draft`) to the disk. `signal` is aborted when the copy is interrupted; then
 * the caller deletes `draft`.
 */
const flushAll = async (disk: Disk, draft: string, signal: AbortSignal): Promise<void> => {
  for (const entry of await readdir(draft, { recursive: true, withFileTypes: true })) {
    signal.throwIfAborted()
    const path = join(entry.parentPath, entry.name)
    await (entry.isDirectory() ? flushFolder(disk, path) : disk.flush(path))
  }
  await flushFolder(disk, draft)
}

/**
 * Gives the copy its final name when all of it is on the disk, so that the copy is complete or absent, also after a
 * power cut. The caller must run this function uninterruptibly: otherwise an interruption could delete the unfinished
 * copy (`draft`) while it gets its name.
 */
const publish = async (disk: Disk, draft: string, to: string): Promise<void> => {
  await rename(draft, to)
  try {
    await flushFolder(disk, dirname(resolve(to)))
  } catch (error) {
    await disk.remove(to)
    throw error
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error)

/**
 * Copies run one at a time: two copies to the same folder use one folder for their unfinished files (`draftOf`), and
 * the second copy would delete the files of the first.
 */
const ONE_AT_A_TIME = Effect.unsafeMakeSemaphore(1)

/**
 * Copies the data folder of the embedded database while the database is open, to a folder that does not exist yet.
 * During the copy, an open transaction occupies the one session, so that nothing changes the files. Other statements
 * wait, and fail after ten seconds. `withoutKeys`: leaves out the file of keys, which a service with keys from
 * elsewhere does not use. A copy waits until every earlier copy of this process has ended. Returns the entries of the
 * folder that it copied.
 */
export const copyFolder = (
  from: string,
  to: string,
  { disk = DISK, withoutKeys = false }: { readonly withoutKeys?: boolean; readonly disk?: Disk } = {}
): Effect.Effect<ReadonlyArray<Part>, SqlError | CopyFailed, SqlClient> =>
  Effect.gen(function* () {
    if (existsSync(to)) return yield* new CopyFailed({ message: `${to} exists already` })
    const sql = yield* SqlClient
    const draft = draftOf(to)
    const copying = <A>(act: (signal: AbortSignal) => Promise<A>) =>
      Effect.tryPromise({
        try: act,
        catch: (error) =>
          error instanceof CopyFailed
            ? error
            : new CopyFailed({ message: `${to} cannot be written (${reasonOf(error)})` })
      })
    yield* copying(() => clear(draft))
    const wanted = withoutKeys ? PARTS.filter((part) => part !== "secret-keys") : PARTS
    let parts: Promise<ReadonlyArray<Part>> | undefined
    return yield* sql
      .withTransaction(
        // Writes all changes to the tables' files, so that a process that opens the copy replays little of the
        // write-ahead log.
        Effect.zipRight(
          sql`CHECKPOINT`,
          copying((signal) => (parts = copyParts(disk, from, draft, wanted, signal)))
        )
      )
      .pipe(
        Failures.orSqlError,
        // This step is outside of the transaction, so other statements can run while the copy is written to the disk.
        Effect.tap(() => copying((signal) => flushAll(disk, draft, signal))),
        Effect.tap(() => Effect.uninterruptible(copying(() => publish(disk, draft, to)))),
        // Deletes the copy after any failure. If the commit fails, the transaction may have ended during the copy, and
        // other statements may have changed the files. An interruption does not wait for the end of `copyParts`. So the
        // deletion waits for that end: otherwise `copyParts` could write further files during the deletion.
        Effect.onError(() => Effect.promise(() => Promise.allSettled([parts]).then(() => disk.remove(draft))))
      )
  }).pipe(ONE_AT_A_TIME.withPermits(1))
