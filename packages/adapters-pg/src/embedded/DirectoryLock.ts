import { Clock, Data, Duration, Effect, Schedule, Schema, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as DataFolder from "./DataFolder.js"

/** Another process has the folder open. */
export class DirectoryInUse extends Data.TaggedError("DirectoryInUse")<{
  readonly directory: string
  /** Undefined for one that is just starting. */
  readonly pid: number | undefined
}> {
  override get message(): string {
    const holder = this.pid === undefined ? "another process" : `process ${this.pid}`
    return (
      `${this.directory} is in use by ${holder}. The embedded database can be opened by one process at a time: ` +
      `stop that process, choose another DATA_DIR, or run several processes on PostgreSQL (DATABASE_URL).`
    )
  }
}

/** Who holds the lock: the content of the lock file. */
const Holder = Schema.parseJson(
  Schema.Struct({
    pid: Schema.Int,
    /** Unique to one taking of the lock. */
    token: Schema.String,
    /** The machine's boot and the process namespace that `pid` belongs to; "" where the system does not say. */
    realm: Schema.String,
    /** When the process started, so that a later one with the same pid is not taken for it. */
    started: Schema.String
  })
)
type Holder = typeof Holder.Type

const BEAT = Duration.seconds(5)
/** A holder that cannot be looked at (in another container) counts as gone after this much silence. */
const SILENCE = Duration.seconds(30)

const orEmpty = (read: () => string | undefined): string => {
  try {
    return read() ?? ""
  } catch {
    return ""
  }
}

const currentRealm = (): string =>
  orEmpty(() => {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`
  })

/** Field 22 of /proc/<pid>/stat. The name in field 2 may hold spaces and brackets, so count from its last bracket. */
const startOf = (pid: number): string =>
  orEmpty(() => {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8")
    return line.slice(line.lastIndexOf(")") + 2).split(" ")[19]
  })

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code

const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Refused, so there is a process to be refused by.
    return hasCode(error, "EPERM")
  }
}

/** `silence`: milliseconds since the holder last touched the file, by the file system's own clock. */
const isAlive = (holder: Holder | undefined, silence: number): boolean => {
  // Unreadable: either it is being written this moment, or its writer died over it.
  if (holder === undefined) return silence < Duration.toMillis(BEAT)
  if (holder.realm !== currentRealm()) return silence < Duration.toMillis(SILENCE)
  return exists(holder.pid) && startOf(holder.pid) === holder.started
}

const decodeHolder = Schema.decodeUnknownOption(Holder)
const parse = (text: string): Holder | undefined => {
  const holder = decodeHolder(text)
  return holder._tag === "Some" ? holder.value : undefined
}

/** A lock file and its content, when it is ours. */
interface Taken {
  readonly path: string
  readonly mine: string
}

/** Takes the lock, or says who has it: undefined for one that has not finished writing its name. */
const take = async (directory: string): Promise<Taken | { readonly holder: Holder | undefined }> => {
  const path = join(directory, "lock")
  const me: Holder = { pid: process.pid, token: randomUUID(), realm: currentRealm(), started: startOf(process.pid) }
  const mine = Schema.encodeSync(Holder)(me)
  for (;;) {
    if (await create(path, mine)) return { path, mine }
    const content = await read(path)
    if (content === undefined) continue // released this moment
    const holder = parse(content)
    if (isAlive(holder, await silenceOf(path, me.token))) return { holder }
    if (await replace(path, content, mine, me.token)) return { path, mine }
    await pause(20)
  }
}

const read = (path: string): Promise<string | undefined> => readFile(path, "utf8").catch(() => undefined)

/** False when it is there already. */
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
 * Puts our lock in place of a dead one, in one step and under a guard: of several starters that found it dead, one succeeds.
 * Nobody else touches a lock that exists, but its holder.
 */
const replace = async (path: string, stale: string, mine: string, token: string): Promise<boolean> => {
  const guard = `${path}.takeover`
  if (!(await create(guard, mine))) {
    // Held for a moment only, so a guard that stays was left by a process that died over it.
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

/** For how long nobody has touched a file. Both times come from the file system, which may not be on this machine. */
const silenceOf = async (path: string, token: string): Promise<number> => {
  const probe = `${path}.${token}`
  await writeFile(probe, "")
  const now = (await stat(probe)).mtimeMs
  await rm(probe)
  return now - (await stat(path).catch(() => ({ mtimeMs: now }))).mtimeMs
}

const release = async (path: string, mine: string): Promise<void> => {
  if ((await read(path)) === mine) await rm(path, { force: true })
}

/** Shows that the holder lives. By the operating system's clock, whatever clock the program runs on: others look by theirs. */
const beat = (path: string): Effect.Effect<unknown, never, Scope.Scope> =>
  Clock.currentTimeMillis.pipe(
    Effect.flatMap((now) => Effect.ignore(Effect.tryPromise(() => utimes(path, now / 1000, now / 1000)))),
    Effect.repeat(Schedule.spaced(BEAT)),
    Effect.withClock(Clock.make()),
    Effect.forkScoped
  )

/**
 * Holds the folder for this process until the scope closes. PGlite itself has no lock: a second opener loses acknowledged
 * rows without a word. The lock of a process that died is taken over.
 */
export const hold = (
  directory: string
): Effect.Effect<void, DirectoryInUse | DataFolder.DirectoryUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    const { path } = yield* Effect.acquireRelease(acquire(directory), ({ path, mine }) =>
      Effect.promise(() => release(path, mine))
    )
    yield* beat(path)
  })

const acquire = (directory: string): Effect.Effect<Taken, DirectoryInUse | DataFolder.DirectoryUnusable> =>
  Effect.flatMap(
    Effect.zipRight(
      DataFolder.prepare(directory),
      Effect.tryPromise({ try: () => take(directory), catch: (cause) => DataFolder.unusable(directory, cause) })
    ),
    (taken) => ("mine" in taken ? Effect.succeed(taken) : new DirectoryInUse({ directory, pid: taken.holder?.pid }))
  )
