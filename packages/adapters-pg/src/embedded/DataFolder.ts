import { Data, Effect } from "effect"
import { chmod, mkdir, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"

/** The folder of the embedded database cannot be made, read, written, or is not ours. */
export class DirectoryUnusable extends Data.TaggedError("DirectoryUnusable")<{
  readonly directory: string
  /** The rest of a sentence that begins with the folder's name, without a full stop. */
  readonly problem: string
}> {
  override get message(): string {
    return `The data folder ${this.directory} ${this.problem}.`
  }
}

/** What is known of a folder before it is used. */
export interface FolderFacts {
  readonly isDirectory: boolean
  /** The user id of its owner. */
  readonly owner: number
}

/** Why the user `me` may not keep a database in a folder; undefined when it may. `me` is undefined where there are no user ids. */
export const refusal = (folder: FolderFacts, me: number | undefined): string | undefined => {
  if (!folder.isDirectory) return "is a file, not a folder: choose another DATA_DIR"
  if (me !== undefined && folder.owner !== me) {
    return (
      `belongs to another user (id ${folder.owner}, and this process runs as ${me}), who could read and change the data: ` +
      `give the folder to this user with chown, or choose another DATA_DIR`
    )
  }
  return undefined
}

const hasCode = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && "code" in error

/** What an error of the file system means for the person who chose the folder. */
export const describe = (error: unknown): string => {
  if (!hasCode(error)) return `cannot be used: ${String(error)}`
  switch (error.code) {
    case "EACCES":
    case "EPERM":
      return `cannot be read or written by this user (id ${process.getuid?.() ?? "unknown"}): give it to this user, or choose another DATA_DIR`
    case "EROFS":
      return "is on a file system that cannot be written: choose another DATA_DIR"
    case "ENOSPC":
    case "EDQUOT":
      return "is on a disk that is full"
    case "ENOENT":
      return "cannot be made there: choose another DATA_DIR"
    case "ENOTDIR":
    case "EEXIST":
      return "cannot be made: a file is in its place. Choose another DATA_DIR"
    default:
      return `cannot be used: ${error.message}`
  }
}

/** Like `mkdir -p`, which in Node never ends below /proc: there a folder that exists cannot hold another one. */
const make = async (directory: string): Promise<void> => {
  try {
    await mkdir(directory, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error) || error.code === "EEXIST") return
    const parent = dirname(directory)
    if (error.code !== "ENOENT" || parent === directory) throw error
    await make(parent)
    await mkdir(directory, { mode: 0o700 })
  }
}

/**
 * Makes the folder if it is missing, and closes it to everybody but its owner, also one that was there with wider rights: PGlite
 * makes files that everybody may write. From then on the process makes no file that others can read.
 */
export const prepare = (directory: string): Effect.Effect<void, DirectoryUnusable> =>
  Effect.tryPromise({
    try: async () => {
      process.umask(0o077)
      await make(resolve(directory))
      const found = await stat(directory)
      const problem = refusal({ isDirectory: found.isDirectory(), owner: found.uid }, process.getuid?.())
      if (problem !== undefined) throw new DirectoryUnusable({ directory, problem })
      if ((found.mode & 0o777) !== 0o700) await chmod(directory, 0o700)
    },
    catch: (error) => unusable(directory, error)
  })

/** The error for whatever went wrong with the folder or a file in it. */
export const unusable = (directory: string, error: unknown): DirectoryUnusable =>
  error instanceof DirectoryUnusable ? error : new DirectoryUnusable({ directory, problem: describe(error) })
