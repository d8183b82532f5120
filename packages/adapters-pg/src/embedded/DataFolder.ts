import { Data, Effect } from "effect"
import { chmod, mkdir, readdir, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"

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
  /** The names of what it holds, and `database/PG_VERSION` when it holds that. */
  readonly names: ReadonlyArray<string>
  /** Whether other users of the machine may enter or read it. */
  readonly isOpen: boolean
}

/** Whatever PostgreSQL makes a database in has this file. */
const DATABASE = "database/PG_VERSION"
/**
 * What a data folder has held since its first start: a folder with one of these is ours. Its lock is no proof, nor a folder that is merely
 * called `database`: /var and many a checkout have such names. A folder of ours without these is closed, because it is closed before
 * anything is written into it.
 */
const OURS: ReadonlySet<string> = new Set([DATABASE, "secret-keys"])
/** A new disk or a checkout has these in an empty folder. */
const isOfNobody = (name: string): boolean => name === "lost+found" || name.startsWith(".")

/** To close /tmp or a folder of other programs would shut those out, and as root nothing would stop us. */
const isOfOthers = (names: ReadonlyArray<string>): boolean =>
  !names.some((name) => OURS.has(name)) && !names.every(isOfNobody)

/** Why the user `me` may not keep a database in a folder; undefined when it may. `me` is undefined where there are no user ids. */
export const refusal = (folder: FolderFacts, me: number | undefined): string | undefined => {
  if (!folder.isDirectory) return "is a file, not a folder: choose another DATA_DIR"
  if (me !== undefined && folder.owner !== me) {
    return (
      `belongs to another user (id ${folder.owner}, and this process runs as ${me}), who could read and change the data: ` +
      `give the folder to this user with chown, or choose another DATA_DIR`
    )
  }
  if (folder.isOpen && isOfOthers(folder.names)) {
    return (
      "holds other files, and other users of the machine may enter it: " +
      "choose a folder of its own for DATA_DIR, or close this one with chmod 700"
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
  if (await makeOne(directory)) return
  const parent = dirname(directory)
  if (parent !== directory) await make(parent)
  if (!(await makeOne(directory))) throw Object.assign(new Error("ENOENT"), { code: "ENOENT" })
}

/** False when the folder above is missing. A folder that is there, perhaps since another start made it this moment, counts as made. */
const makeOne = async (directory: string): Promise<boolean> => {
  try {
    await mkdir(directory, { mode: 0o700 })
    return true
  } catch (error) {
    if (hasCode(error) && error.code === "EEXIST") return true
    if (hasCode(error) && error.code === "ENOENT") return false
    throw error
  }
}

const namesIn = async (directory: string): Promise<ReadonlyArray<string>> => {
  const hasDatabase = await stat(join(directory, DATABASE)).then(
    (found) => found.isFile(),
    () => false
  )
  return [...(await readdir(directory).catch(() => [])), ...(hasDatabase ? [DATABASE] : [])]
}

/**
 * Makes the folder if it is missing, and closes it to everybody but its owner, also one that was there with wider rights: PGlite
 * makes files that everybody may write. From then on the process makes no file that others can read. A folder that others can enter and that
 * holds files of others is refused and left as it is.
 */
export const prepare = (directory: string): Effect.Effect<void, DirectoryUnusable> =>
  Effect.tryPromise({
    try: async () => {
      process.umask(0o077)
      await make(resolve(directory))
      const found = await stat(directory)
      const isDirectory = found.isDirectory()
      const isOpen = (found.mode & 0o077) !== 0
      // A folder that cannot be read is refused for that, or for its owner.
      const names = isDirectory && isOpen ? await namesIn(directory) : []
      const problem = refusal({ isDirectory, owner: found.uid, names, isOpen }, process.getuid?.())
      if (problem !== undefined) throw new DirectoryUnusable({ directory, problem })
      if ((found.mode & 0o777) !== 0o700) await chmod(directory, 0o700)
    },
    catch: (error) => unusable(directory, error)
  })

/** The error for whatever went wrong with the folder or a file in it. */
export const unusable = (directory: string, error: unknown): DirectoryUnusable =>
  error instanceof DirectoryUnusable ? error : new DirectoryUnusable({ directory, problem: describe(error) })
