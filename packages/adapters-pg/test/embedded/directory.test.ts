import type { Database } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { vi } from "vitest"
import { nodeArgs } from "../../../domain/test/support/nodeArgs.js"
import { embeddedIn, makeEmptyDatabase } from "../support/embedded.js"
import { hold, type System, thisSystem, touch } from "../../src/embedded/DirectoryLock.js"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "place-access-"))
})
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))

const lock = () => join(directory, "lock")
const taken = () => Effect.exit(Effect.scoped(hold(directory)))
const takenOn = (system: System) => Effect.exit(Effect.scoped(hold(directory, system)))
const untouched = (millis: number) => Effect.promise(() => utimes(lock(), new Date(), new Date(Date.now() - millis)))

describe("the lock of a data folder", () => {
  it.effect("is there while held and gone afterwards", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* hold(directory)
          expect(existsSync(lock())).toBe(true)
        })
      )
      expect(existsSync(lock())).toBe(false)
    })
  )

  it.effect("refuses a second opener, saying who has it and what to do", () =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* hold(directory)
        const error = yield* Effect.flip(hold(directory))
        expect(error._tag).toBe("DirectoryInUse")
        expect(error.message).toContain(directory)
        expect(error.message).toContain(`process ${process.pid}`)
        expect(error.message).toContain("DATABASE_URL")
      })
    )
  )

  it.effect("of a process that is gone is taken over", () =>
    Effect.gen(function* () {
      const child = spawn(process.execPath, ["-e", ""])
      yield* Effect.promise(() => new Promise((resolve) => child.once("exit", resolve)))
      yield* Effect.scoped(hold(directory))
      yield* holder({ pid: child.pid })
      expect(Exit.isSuccess(yield* taken())).toBe(true)
    })
  )

  it.effect("of a process that is gone is taken over though another one has its number now", () =>
    Effect.gen(function* () {
      yield* holder({ started: "1" })
      expect(Exit.isSuccess(yield* taken())).toBe(true)
    })
  )

  it.effect("of another container holds while that one touches it, and not when it has fallen silent", () =>
    Effect.gen(function* () {
      yield* holder({ realm: "another boot, another namespace" })
      expect(Exit.isFailure(yield* taken())).toBe(true)
      yield* Effect.promise(() => utimes(lock(), new Date(), new Date(Date.now() - 31_000)))
      expect(Exit.isSuccess(yield* taken())).toBe(true)
    })
  )

  it.effect("where the system does not say which process a number belongs to, holds while it is touched", () =>
    Effect.gen(function* () {
      const system = { realm: () => "", startOf: () => "" }
      // The lock file has the pid of a process that died. The operating system may have given this pid to another
      // process, such as the process of this test.
      yield* holder({ realm: "", started: "", pid: process.pid })
      expect(Exit.isFailure(yield* takenOn(system))).toBe(true)
      yield* untouched(31_000)
      expect(Exit.isSuccess(yield* takenOn(system))).toBe(true)
    })
  )

  it.effect("without /proc, of a process that still runs holds however long it is not touched", () =>
    Effect.gen(function* () {
      const system = thisSystem(join(directory, "no-proc"))
      expect(system.startOf(process.pid)).not.toBe("")
      yield* holder({ realm: "", started: system.startOf(process.pid) })
      yield* untouched(3_600_000)
      expect(Exit.isFailure(yield* takenOn(system))).toBe(true)
      // The lock file has another start time than the process with this pid. So the process that wrote the lock file
      // has ended.
      yield* holder({ realm: "", started: "Thu Jan  1 00:00:00 1970" })
      expect(Exit.isSuccess(yield* takenOn(system))).toBe(true)
    })
  )

  it.effect("of an older release, which did not write its start time, holds while a process has its number", () =>
    Effect.gen(function* () {
      yield* holder({ realm: "", started: "" })
      yield* untouched(3_600_000)
      expect(Exit.isFailure(yield* takenOn({ realm: () => "", startOf: () => "a time" }))).toBe(true)
    })
  )

  it.effect("of a process whose start time can no longer be read holds while it is touched", () =>
    Effect.gen(function* () {
      const system = { realm: () => "", startOf: () => "" }
      yield* holder({ realm: "", started: "a time" })
      expect(Exit.isFailure(yield* takenOn(system))).toBe(true)
      yield* untouched(31_000)
      expect(Exit.isSuccess(yield* takenOn(system))).toBe(true)
    })
  )

  it("without /proc a start time is what `ps` says, in the same language and time zone for every process", async () => {
    const noProc = join(directory, "no-proc")
    const ps = join(directory, "ps")
    await writeFile(ps, '#!/bin/sh\necho "$LC_ALL $TZ $*"\n', { mode: 0o755 })
    expect(thisSystem(noProc, ps).startOf(12)).toBe("C UTC -o lstart= -p 12")
    expect(thisSystem("/proc", ps).startOf(process.pid)).toMatch(/^\d+$/)
    await writeFile(ps, "#!/bin/sh\necho half an answer\nexit 1\n")
    expect(thisSystem(noProc, ps).startOf(12)).toBe("")
    expect(thisSystem(noProc, join(directory, "no-ps")).startOf(12)).toBe("")
  })

  it.effect("that cannot be read holds for a moment only: its writer may still be writing", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => writeFile(lock(), ""))
      expect(Exit.isFailure(yield* taken())).toBe(true)
      yield* Effect.promise(() => utimes(lock(), new Date(), new Date(Date.now() - 6_000)))
      expect(Exit.isSuccess(yield* taken())).toBe(true)
    })
  )

  it.effect("goes to exactly one of many that start at once, also over a stale one", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 30; round++) {
        if (round > 0) yield* holder({ started: "1" })
        const scope = yield* Scope.make()
        const exits = yield* Effect.all(
          Array.from({ length: 8 }, () => Effect.exit(Scope.extend(hold(directory), scope))),
          { concurrency: "unbounded" }
        )
        expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
        yield* Scope.close(scope, Exit.void)
      }
    })
  )

  it.effect("is touched by the file system's clock, also when this machine's clock is wrong", () =>
    Effect.gen(function* () {
      yield* hold(directory)
      const mine = yield* Effect.promise(() => readFile(lock(), "utf8"))
      yield* Effect.promise(async () => {
        await utimes(lock(), 0, 0)
        const clock = vi.spyOn(Date, "now").mockReturnValue(0)
        try {
          expect(await touch({ path: lock(), mine })).toBeUndefined()
        } finally {
          clock.mockRestore()
        }
        const probe = join(directory, "probe")
        await writeFile(probe, "")
        expect((await stat(probe)).mtimeMs - (await stat(lock())).mtimeMs).toBeLessThan(60_000)
        expect(await readFile(lock(), "utf8")).toBe(mine)
      })
    }).pipe(Effect.scoped)
  )

  it.effect("is lost when another process has taken it, whose file stays as it is, or when the file is gone", () =>
    Effect.gen(function* () {
      yield* holder({ pid: 12 })
      yield* Effect.promise(async () => {
        const theirs = await readFile(lock(), "utf8")
        const mine = { path: lock(), mine: theirs.replace('"other"', '"mine"') }
        expect(await touch(mine)).toBe("process 12 has taken it")
        expect(await readFile(lock(), "utf8")).toBe(theirs)
        await rm(lock())
        expect(await touch(mine)).toBe("the lock file is gone")
        expect(existsSync(lock())).toBe(false)
      })
    })
  )

  it.effect("a folder that cannot be made is named", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => writeFile(join(directory, "file"), ""))
      const error = yield* Effect.flip(Effect.scoped(hold(join(directory, "file", "data"))))
      expect(error._tag).toBe("DirectoryUnusable")
      expect(error.message).toContain(join(directory, "file", "data"))
    })
  )

  it.effect("a lock that cannot be read ends the start, which names the folder: it does not try without end", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => mkdir(join(directory, "lock"), { recursive: true }))
      const error = yield* Effect.flip(Effect.scoped(hold(directory)))
      expect(error._tag).toBe("DirectoryUnusable")
      expect(error.message).toContain(directory)
    })
  )

  /** Writes a lock file as this process would, with the given changes. */
  const holder = (changes: { readonly pid?: number | undefined; readonly realm?: string; readonly started?: string }) =>
    Effect.gen(function* () {
      const text = yield* Effect.scoped(
        Effect.zipRight(
          hold(directory),
          Effect.promise(() => readFile(lock(), "utf8"))
        )
      )
      yield* Effect.promise(() =>
        writeFile(lock(), JSON.stringify({ ...JSON.parse(text), token: "other", ...changes }))
      )
    })
})

const OTHER = { token: "other", realm: "another boot, another namespace", started: "1" }

describe("an embedded database in a folder", () => {
  beforeEach(() => makeEmptyDatabase(directory))

  const withDatabase = <A, E>(program: Effect.Effect<A, E, Database>) =>
    program.pipe(Effect.provide(embeddedIn(directory)))

  it.live("opens for one process at a time", () =>
    withDatabase(
      Effect.gen(function* () {
        const error = yield* Effect.flip(withDatabase(SqlClient))
        expect(error).toMatchObject({ _tag: "DirectoryInUse" })
      })
    )
  )

  it.live("keeps every acknowledged row when its process is killed", () =>
    Effect.gen(function* () {
      const acknowledged = yield* Effect.promise(writeUntilKilled)
      expect(acknowledged).toBeGreaterThan(0)
      const rows = yield* withDatabase(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          return yield* sql<{ readonly n: number }>`SELECT n FROM kept ORDER BY n`
        })
      )
      expect(rows.slice(0, acknowledged).map(({ n }) => n)).toEqual(
        Array.from({ length: acknowledged }, (_, index) => index + 1)
      )
    })
  )

  it.live("ends its process when another one has taken the folder over, and says so", () =>
    Effect.gen(function* () {
      const program = yield* Effect.promise(() => nodeArgs(join(import.meta.dirname, "writer.ts")))
      const child = spawn(process.execPath, [...program, directory], { stdio: ["ignore", "pipe", "pipe"] })
      yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
      const errorOutput = text(child.stderr)
      const code = new Promise((resolve) => child.once("exit", resolve))
      // The program prints its first row when the database is open.
      yield* Effect.promise(() => once(child.stdout, "data"))
      child.stdout.resume()
      yield* Effect.promise(() => writeFile(`${lock()}.new`, JSON.stringify({ ...OTHER, pid: 12 })))
      yield* Effect.promise(() => rename(`${lock()}.new`, lock()))
      expect(yield* Effect.promise(() => code)).toBe(1)
      expect(yield* Effect.promise(() => errorOutput)).toContain(
        `has lost the lock of ${directory}: process 12 has taken it.`
      )
    }).pipe(Effect.scoped)
  )

  /** A child process inserts rows and reports each committed row, until it is killed. */
  const writeUntilKilled = async (): Promise<number> => {
    const program = await nodeArgs(join(import.meta.dirname, "writer.ts"))
    return new Promise<number>((resolve, reject) => {
      const child = spawn(process.execPath, [...program, directory], { stdio: ["ignore", "pipe", "inherit"] })
      let acknowledged = 0
      child.stdout.on("data", (chunk: Buffer) => {
        acknowledged += chunk.toString("utf8").split("\n").length - 1
        if (acknowledged >= 50) child.kill("SIGKILL")
      })
      child.once("error", reject)
      child.once("exit", () => resolve(acknowledged))
    })
  }
})
