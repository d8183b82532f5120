import { Data, Effect } from "effect"
import { chmod, mkdir, readdir, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"

/**
 * The data folder of the embedded database cannot be used, for example because it cannot be made, read or written,
 * because it belongs to another user, or because other programs use it.
 */
export class DirectoryUnusable extends Data.TaggedError("DirectoryUnusable")<{
  readonly directory: string
  /** The second half of a sentence whose first half is the folder's name; without a full stop. */
  readonly problem: string
}> {
  override get message(): string {
    return `The data folder ${this.directory} ${this.problem}.`
  }
}

/** What `refusal` needs to know about a folder. */
export interface FolderFacts {
  readonly isDirectory: boolean
  /** The user id of the folder's owner. */
  readonly owner: number
  /** The names of the folder's entries, and `database/PG_VERSION` if it exists; empty when `isOpen` is false. */
  readonly names: ReadonlyArray<string>
  /** Whether other users of the machine may enter or read the folder. */
  readonly isOpen: boolean
}

/**
 * The file that marks the folder of a test world, whose clock is not the machine's. Every copy of the folder has the
 * file too.
 */
export const TEST_WORLD = "test-world.json"

/** PostgreSQL writes this file into every database folder. */
const DATABASE = "database/PG_VERSION"
/**
 * The files that the first start writes: a folder with one of these files is a data folder of this service. A lock file
 * or a folder called `database` proves nothing, because /var and many source folders have entries of these names. The
 * check `refusal` also accepts a data folder that has none of these files yet: `prepare` closes a new folder to other
 * users before it writes anything, and `refusal` checks the names only in folders that other users can open.
 */
const OURS: ReadonlySet<string> = new Set([DATABASE, "secret-keys", TEST_WORLD])
/**
 * Whether an otherwise empty folder may have this entry: a new disk has `lost+found`, a source folder has dot files.
 */
const isOfNobody = (name: string): boolean => name === "lost+found" || name.startsWith(".")

/**
 * Whether other programs seem to use the folder, as they use /tmp. If this program closed such a folder to others, it
 * would lock those programs out. When this program runs as root, the operating system would not refuse the change.
 */
const isOfOthers = (names: ReadonlyArray<string>): boolean =>
  !names.some((name) => OURS.has(name)) && !names.every(isOfNobody)

/**
 * The reason why the user `me` may not keep a database in the folder; undefined when the folder is fine. `me` is
 * undefined on systems without user ids.
 */
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

/**
 * Explains an error of the file system to the person who chose the folder. Returns a `problem` of `DirectoryUnusable`.
 */
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

/**
 * Makes the folder and its missing parents, as `mkdir -p` does. Only this user may enter the new folders. Node's own
 * recursive `mkdir` never returns below /proc, where an existing folder cannot contain a new one.
 */
export const make = async (directory: string): Promise<void> => {
  if (await makeOne(directory)) return
  const parent = dirname(directory)
  if (parent !== directory) await make(parent)
  if (!(await makeOne(directory))) throw Object.assign(new Error("ENOENT"), { code: "ENOENT" })
}

/**
 * Makes one folder; returns false when the parent folder is missing. A folder that exists already counts as made,
 * because a program that starts at the same time may have made it.
 */
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

/** Fails when this user may not keep a database in the folder; otherwise returns the folder's mode. Changes nothing. */
const examine = async (directory: string): Promise<number> => {
  const found = await stat(directory)
  const isDirectory = found.isDirectory()
  const isOpen = (found.mode & 0o077) !== 0
  // A folder that cannot be listed counts as empty here. If it belongs to another user, `refusal` refuses it for that
  // reason.
  const names = isDirectory && isOpen ? await namesIn(directory) : []
  const problem = refusal({ isDirectory, owner: found.uid, names, isOpen }, process.getuid?.())
  if (problem !== undefined) throw new DirectoryUnusable({ directory, problem })
  return found.mode & 0o777
}

/**
 * Makes the folder if it is missing, and closes it to everybody but its owner, because PGlite makes files that
 * everybody may write. A folder that had wider rights before is closed too. From then on, the process makes only files
 * that others cannot read. A folder that `refusal` refuses stays unchanged.
 */
export const prepare = (directory: string): Effect.Effect<void, DirectoryUnusable> =>
  Effect.tryPromise({
    try: async () => {
      process.umask(0o077)
      await make(resolve(directory))
      if ((await examine(directory)) !== 0o700) await chmod(directory, 0o700)
    },
    catch: (error) => unusable(directory, error)
  })

/** Whether the file or folder exists. Fails when this user may not look for it. */
const isThere = async (path: string): Promise<boolean> => {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (hasCode(error) && error.code === "ENOENT") return false
    throw error
  }
}

/**
 * Whether the folder has a database; fails for a folder that `prepare` would refuse. Changes nothing. Commands that
 * need an existing database call this first, because opening a folder without a database makes an empty one.
 */
export const hasDatabase = (directory: string): Effect.Effect<boolean, DirectoryUnusable> =>
  Effect.tryPromise({
    try: async () => {
      if (!(await isThere(directory))) return false
      await examine(directory)
      return await isThere(join(directory, DATABASE))
    },
    catch: (error) => unusable(directory, error)
  })

/** Turns any error about the folder, or about a file in it, into `DirectoryUnusable`. */
export const unusable = (directory: string, error: unknown): DirectoryUnusable =>
  error instanceof DirectoryUnusable ? error : new DirectoryUnusable({ directory, problem: describe(error) })
