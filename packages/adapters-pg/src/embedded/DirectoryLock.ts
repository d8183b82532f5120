import { Clock, Data, Duration, Effect, Schedule, Schema, type Scope } from "effect"
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, readlinkSync } from "node:fs"
import { open, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as DataFolder from "./DataFolder.js"

const processOf = (pid: number | undefined): string => (pid === undefined ? "another process" : `process ${pid}`)

/** Another process uses the folder. */
export class DirectoryInUse extends Data.TaggedError("DirectoryInUse")<{
  readonly directory: string
  /** Undefined when the other process has not written its pid yet. */
  readonly pid: number | undefined
}> {
  override get message(): string {
    return (
      `${this.directory} is in use by ${processOf(this.pid)}. The embedded database can be opened by one process at a time: ` +
      `stop that process, choose another DATA_DIR, or run several processes on PostgreSQL (DATABASE_URL).`
    )
  }
}

/** The content of the lock file: the process that holds the lock. */
const Holder = Schema.parseJson(
  Schema.Struct({
    pid: Schema.Int,
    /** A random text that differs each time that a process takes the lock. */
    token: Schema.String,
    /**
     * Identifies the boot of the machine, and the namespace of the process ids to which `pid` belongs; "" where the
     * system does not say.
     */
    realm: Schema.String,
    /** The start time of the process, because a later process may have the same pid. */
    started: Schema.String
  })
)
type Holder = typeof Holder.Type

const BEAT = Duration.seconds(5)
/**
 * After this time without a touch of the lock file, two kinds of holders count as dead:
 * - a holder of another realm (another container, or an earlier boot of the machine), whose pid cannot be looked up;
 * - a holder whose start time the system does not say, because its pid may belong to a later process.
 *
 * All other holders are looked up by pid and start time, because a living holder may be silent for longer: it touches
 * the file in the thread in which PGlite runs, and so not during a long statement.
 */
const SILENCE = Duration.seconds(30)

const orEmpty = (read: () => string | undefined): string => {
  try {
    return read() ?? ""
  } catch {
    return ""
  }
}

/** What the operating system says about processes. */
export interface System {
  /** The machine's boot and the namespace of process ids, as one text (`Holder.realm`); "" without /proc. */
  readonly realm: () => string
  /** The start time of a process; "" when unknown. */
  readonly startOf: (pid: number) => string
}

const currentRealm = (proc: string): string =>
  orEmpty(() => {
    const boot = readFileSync(`${proc}/sys/kernel/random/boot_id`, "utf8").trim()
    return `${boot} ${readlinkSync(`${proc}/self/ns/pid`)}`
  })

/**
 * The start time in field 22 of /proc/<pid>/stat. The name in field 2 may contain spaces and brackets, so the fields
 * are counted from the last bracket.
 */
const startByProc = (proc: string, pid: number): string | undefined => {
  const line = readFileSync(`${proc}/${pid}/stat`, "utf8")
  return line.slice(line.lastIndexOf(")") + 2).split(" ")[19]
}

/**
 * The start time that `ps` prints. Two processes may run in different languages and time zones, and would get different
 * texts for the same start time. So this function calls `ps` with a constant language and time zone.
 */
const startByPs = (ps: string, pid: number): string =>
  execFileSync(ps, ["-o", "lstart=", "-p", String(pid)], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 5_000
  }).trim()

/** macOS has no /proc, so there `ps` says when a process started. */
export const thisSystem = (proc = "/proc", ps = "ps"): System => ({
  realm: () => currentRealm(proc),
  startOf: (pid) => orEmpty(() => (existsSync(proc) ? startByProc(proc, pid) : startByPs(ps, pid)))
})

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code

const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM means that this user may not signal the process, so the process exists.
    return hasCode(error, "EPERM")
  }
}

/**
 * Whether the process that holds the lock is alive. `silence`: milliseconds since that process touched the lock file,
 * by the file system's clock.
 */
const isAlive = (holder: Holder | undefined, silence: number, system: System): boolean => {
  // The lock file is unreadable: the holder is writing the file, or died while it wrote the file.
  if (holder === undefined) return silence < Duration.toMillis(BEAT)
  const isRecent = silence < Duration.toMillis(SILENCE)
  if (holder.realm !== system.realm()) return isRecent
  if (!exists(holder.pid)) return false
  const started = system.startOf(holder.pid)
  if (started === "") return isRecent
  // The file has no start time when the holder could not find out its own start time, for example an older release on
  // macOS. Such a holder may be paused, and then does not touch the file. So it counts as alive while a process with
  // its pid exists.
  return holder.started === "" || holder.started === started
}

const decodeHolder = Schema.decodeUnknownOption(Holder)
const parse = (text: string): Holder | undefined => {
  const holder = decodeHolder(text)
  return holder._tag === "Some" ? holder.value : undefined
}

/** A lock file that this process wrote, with its content. */
interface OwnLock {
  readonly path: string
  readonly mine: string
}

/**
 * Takes the lock, or returns the process that holds it; `holder` is undefined when that process has not written the
 * file's content yet.
 */
const take = async (directory: string, system: System): Promise<OwnLock | { readonly holder: Holder | undefined }> => {
  const path = join(directory, "lock")
  const me: Holder = {
    pid: process.pid,
    token: randomUUID(),
    realm: system.realm(),
    started: system.startOf(process.pid)
  }
  const mine = Schema.encodeSync(Holder)(me)
  for (;;) {
    if (await create(path, mine)) return { path, mine }
    const content = await read(path)
    if (content === undefined) continue // the holder has just released the lock
    const holder = parse(content)
    if (isAlive(holder, await silenceOf(path, me.token), system)) return { holder }
    if (await replace(path, content, mine, me.token)) return { path, mine }
    await pause(20)
  }
}

/** The content of the file; undefined when there is no such file. */
const read = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined
    throw error
  })

/** Makes the file. False when it exists already. */
const create = async (path: string, content: string): Promise<boolean> => {
  try {
    await writeFile(path, content, { flag: "wx" })
    return true
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false
    throw error
  }
}

/**
 * Replaces the lock file of a dead process by this process's own file, in one step and under a guard file. When several
 * starting processes find the holder of the lock dead, only one of them succeeds. Apart from this function, only the
 * holder changes a lock file.
 */
const replace = async (path: string, stale: string, mine: string, token: string): Promise<boolean> => {
  const guard = `${path}.takeover`
  if (!(await create(guard, mine))) {
    // A guard file normally exists for a moment only. An older guard file belongs to a process that died in this
    // function.
    if ((await silenceOf(guard, token)) > Duration.toMillis(SILENCE)) await rm(guard, { force: true })
    return false
  }
  try {
    if ((await read(path)) !== stale) return false
    const draft = `${path}.${token}`
    await writeFile(draft, mine)
    await rename(draft, path)
    return true
  } finally {
    await rm(guard, { force: true })
  }
}

/**
 * How long ago a file was last touched, in milliseconds. The present time is read from the file system too, which may
 * be on another machine with another clock.
 */
const silenceOf = async (path: string, token: string): Promise<number> => {
  const probe = `${path}.${token}`
  await writeFile(probe, "")
  const now = (await stat(probe)).mtimeMs
  await rm(probe)
  return now - (await stat(path).catch(() => ({ mtimeMs: now }))).mtimeMs
}

const release = async (path: string, mine: string): Promise<void> => {
  // A lock file that cannot be read is not deleted: the next process finds its holder dead, and takes the lock over.
  const content = await read(path).catch(() => undefined)
  if (content === mine) await rm(path, { force: true })
}

/**
 * Touches the lock file to show that the holder is alive. Returns undefined while this process has the lock, else the
 * reason why the lock is lost. A touch writes the same content, so that the file system sets the file's time by the
 * file system's clock.
 *
 * The function reads and writes through one open file. So when another process replaces the lock file meanwhile, this
 * function writes to the replaced file, which no process reads.
 */
export const touch = async ({ mine, path }: OwnLock): Promise<string | undefined> => {
  try {
    const file = await open(path, "r+")
    try {
      const content = await file.readFile("utf8")
      if (content !== mine) return `${processOf(parse(content)?.pid)} has taken it`
      await file.write(mine, 0)
      return undefined
    } finally {
      await file.close()
    }
  } catch (error) {
    // When the lock file is missing, another process may have used the folder. Every other error may be temporary: this
    // process has the lock until another process has taken it.
    return hasCode(error, "ENOENT") ? "the lock file is gone" : undefined
  }
}

/** Ends the process immediately. An orderly stop would write to the files, which another process may have open. */
const end = (directory: string, reason: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(
      `This process has lost the lock of ${directory}: ${reason}. This can happen when a process does not run for ` +
        `${Duration.toSeconds(SILENCE)} s. It ends now, because two processes that write to one embedded database ` +
        `lose rows.\n`
    )
    process.exit(1)
  })

/**
 * Touches the lock file regularly, by the clock of the operating system, even when the program's `Clock` is a simulated
 * one. A touch that has begun is finished before the lock is released.
 */
const beat = (directory: string, lock: OwnLock): Effect.Effect<unknown, never, Scope.Scope> =>
  Effect.uninterruptible(Effect.promise(() => touch(lock))).pipe(
    Effect.flatMap((reason) => (reason === undefined ? Effect.void : end(directory, reason))),
    Effect.repeat(Schedule.spaced(BEAT)),
    Effect.withClock(Clock.make()),
    Effect.forkScoped
  )

/**
 * Locks the data folder for this process until the scope closes. PGlite has no lock of its own: a second process that
 * opened the folder would silently lose acknowledged rows. The lock is a file with the holder's pid and start time,
 * which the holder touches regularly. A process that finds the holder dead takes the lock over. If the holder was only
 * paused, it notices the loss at its next touch, and ends itself.
 */
export const hold = (
  directory: string,
  system: System = thisSystem()
): Effect.Effect<void, DirectoryInUse | DataFolder.DirectoryUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    const lock = yield* Effect.acquireRelease(acquire(directory, system), ({ path, mine }) =>
      Effect.promise(() => release(path, mine))
    )
    yield* beat(directory, lock)
  })

const acquire = (
  directory: string,
  system: System
): Effect.Effect<OwnLock, DirectoryInUse | DataFolder.DirectoryUnusable> =>
  Effect.flatMap(
    Effect.zipRight(
      DataFolder.prepare(directory),
      Effect.tryPromise({ try: () => take(directory, system), catch: (cause) => DataFolder.unusable(directory, cause) })
    ),
    (taken) => ("mine" in taken ? Effect.succeed(taken) : new DirectoryInUse({ directory, pid: taken.holder?.pid }))
  )
