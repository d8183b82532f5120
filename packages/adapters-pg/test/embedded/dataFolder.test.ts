import { DataFolder } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises"
import { spawnSync } from "node:child_process"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { embeddedIn } from "../support/embedded.js"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "place-access-"))
})
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777
const problemOf = (path: string) => Effect.map(Effect.flip(DataFolder.prepare(path)), ({ message }) => message)
const isRoot = process.getuid?.() === 0
const NOBODY = 65_534

/** Whether the user `uid` can read a file; without `uid`, whether the user of this process can. */
const reads = (file: string, uid?: number): boolean =>
  spawnSync("head", ["-c", "1", file], uid === undefined ? {} : { uid, gid: uid }).status === 0

describe("the data folder", () => {
  it.effect("is made for its owner alone, with the folders above it", () =>
    Effect.gen(function* () {
      const path = join(directory, "a", "b")
      yield* DataFolder.prepare(path)
      expect(yield* Effect.promise(() => modeOf(path))).toBe(0o700)
    })
  )

  it.effect("one that was there with wider rights (a volume, a StateDirectory) is closed to others", () =>
    Effect.gen(function* () {
      for (const mode of [0o755, 0o777, 0o750, 0o701]) {
        yield* Effect.promise(() => chmod(directory, mode))
        yield* DataFolder.prepare(directory)
        expect(yield* Effect.promise(() => modeOf(directory))).toBe(0o700)
      }
    })
  )

  it.effect(
    "one that holds other things (DATA_DIR=/tmp, a home) is refused as it is: to close it would shut others out",
    () =>
      Effect.gen(function* () {
        yield* Effect.promise(async () => {
          await chmod(directory, 0o755)
          await writeFile(join(directory, "somebody-else's"), "")
        })
        expect(yield* problemOf(directory)).toBe(
          `The data folder ${directory} holds other files, and other users of the machine may enter it: choose a folder of its own for DATA_DIR, or close this one with chmod 700.`
        )
        expect(yield* Effect.promise(() => modeOf(directory))).toBe(0o755)
      })
  )

  it.effect("with other things in it is used where it is closed already, or is ours by what else it holds", () =>
    Effect.gen(function* () {
      const other = join(directory, "notes.txt")
      yield* Effect.promise(() => writeFile(other, ""))
      yield* DataFolder.prepare(directory)
      for (const ours of ["database/PG_VERSION", "secret-keys"]) {
        yield* Effect.promise(async () => {
          await mkdir(join(directory, dirname(ours)), { recursive: true })
          await writeFile(join(directory, ours), "")
          await chmod(directory, 0o755)
        })
        yield* DataFolder.prepare(directory)
        expect(yield* Effect.promise(() => modeOf(directory))).toBe(0o700)
        yield* Effect.promise(() => rm(join(directory, ours)))
      }
    })
  )

  it.effect("with a lock or a database folder of somebody else's (DATA_DIR=/var, a checkout) is refused as it is", () =>
    Effect.gen(function* () {
      const others: Readonly<Record<string, ReadonlyArray<string>>> = {
        var: ["cache", "lib", "lock", "log", "tmp"],
        checkout: ["database/migrations", "src"]
      }
      for (const [name, folders] of Object.entries(others)) {
        const path = join(directory, name)
        yield* Effect.promise(async () => {
          for (const folder of folders) await mkdir(join(path, folder), { recursive: true })
          await chmod(path, 0o755)
        })
        expect(yield* problemOf(path)).toContain("holds other files, and other users of the machine may enter it")
        expect(yield* Effect.promise(() => modeOf(path))).toBe(0o755)
        expect(yield* Effect.promise(() => readdir(path))).toEqual(folders.map((folder) => folder.split("/")[0]))
      }
    })
  )

  it.live("opens after a crash before its database was made: it was closed before anything was in it", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => chmod(directory, 0o755))
      yield* DataFolder.prepare(directory)
      yield* Effect.promise(async () => {
        await writeFile(join(directory, "lock"), "")
        // Makes the lock file so old that its process must have died before it wrote its pid.
        await utimes(join(directory, "lock"), new Date(), new Date(Date.now() - 6_000))
        await mkdir(join(directory, "database"))
      })
      const one = Effect.flatMap(SqlClient, (sql) => sql`SELECT 1 AS a`)
      expect(yield* Effect.provide(one, embeddedIn(directory))).toEqual([{ a: 1 }])
    })
  )

  it("of a new disk or of a checkout is empty: lost+found and hidden files are nobody's", () => {
    const refused = (...names: ReadonlyArray<string>) =>
      DataFolder.refusal({ isDirectory: true, owner: 1, names, isOpen: true }, 1) !== undefined
    expect([refused(), refused("lost+found"), refused(".gitkeep"), refused(".X11-unix", "notes")]).toEqual([
      false,
      false,
      false,
      true
    ])
  })

  it.effect("is made by two starts at the same time, and neither fails", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 20; round++) {
        const path = join(directory, String(round), "a", "b", "c")
        yield* Effect.all(
          Array.from({ length: 4 }, () => DataFolder.prepare(path)),
          { concurrency: "unbounded" }
        )
        expect(yield* Effect.promise(() => modeOf(path))).toBe(0o700)
      }
    })
  )

  it.live("PGlite makes files that everybody may write; nobody else gets as far as them", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => chmod(directory, 0o755))
      const database = embeddedIn(directory)
      const [control, mode] = yield* Effect.provide(
        Effect.zipRight(
          Effect.flatMap(SqlClient, (sql) => sql`CREATE TABLE t AS SELECT 1 AS a`),
          Effect.promise(async () => {
            const file = join(directory, "database", "global", "pg_control")
            return [file, await modeOf(directory)] as const
          })
        ),
        database
      )
      expect(mode).toBe(0o700)
      expect(reads(control)).toBe(true)
      // Only root can start a process of another user, so only root can test that others cannot read the database.
      if (isRoot) expect(reads(control, NOBODY)).toBe(false)
    })
  )

  it.effect("of another user is refused: its owner could read and change everything", () =>
    Effect.gen(function* () {
      const of = (owner: number): DataFolder.FolderFacts => ({ isDirectory: true, owner, names: [], isOpen: true })
      expect(DataFolder.refusal(of(1000), 1001)).toContain("belongs to another user (id 1000")
      expect(DataFolder.refusal(of(1000), 0)).toContain("belongs to another user")
      expect(DataFolder.refusal(of(1000), 1000)).toBeUndefined()
      expect(DataFolder.refusal(of(0), undefined)).toBeUndefined()
      // The test gives a folder to another user, and only root can do that.
      if (!isRoot) return
      yield* Effect.promise(() => chown(directory, 12_345, 12_345))
      expect(yield* problemOf(directory)).toContain("belongs to another user (id 12345, and this process runs as 0)")
    })
  )

  it.effect("a file in its place is said as such", () =>
    Effect.gen(function* () {
      const file = join(directory, "file")
      yield* Effect.promise(() => writeFile(file, ""))
      expect(yield* problemOf(file)).toBe(`The data folder ${file} is a file, not a folder: choose another DATA_DIR.`)
      expect(yield* problemOf(join(file, "data"))).toContain("a file is in its place")
    })
  )

  it.effect("below /proc it cannot be made, and the error says so; it is not tried without end", () =>
    Effect.gen(function* () {
      expect(yield* problemOf("/proc/nope/data")).toBe(
        "The data folder /proc/nope/data cannot be made there: choose another DATA_DIR."
      )
    })
  )

  it.effect("has a database or not: to ask makes no folder, and a folder that would be refused is refused", () =>
    Effect.gen(function* () {
      const [missing, file] = [join(directory, "missing"), join(directory, "file")]
      expect(yield* DataFolder.hasDatabase(missing)).toBe(false)
      expect(yield* DataFolder.hasDatabase(directory)).toBe(false)
      expect(yield* Effect.promise(() => readdir(directory))).toEqual([])
      yield* Effect.promise(async () => {
        await chmod(directory, 0o755)
        await writeFile(file, "")
      })
      const refused = (path: string) => Effect.map(Effect.flip(DataFolder.hasDatabase(path)), ({ message }) => message)
      expect(yield* refused(directory)).toContain("holds other files")
      expect(yield* refused(file)).toContain("is a file, not a folder")
      expect(yield* refused(join(file, "data"))).toContain("a file is in its place")
      yield* Effect.promise(async () => {
        await mkdir(join(directory, "database"))
        await writeFile(join(directory, "database", "PG_VERSION"), "")
      })
      expect(yield* DataFolder.hasDatabase(directory)).toBe(true)
      expect(yield* Effect.promise(() => modeOf(directory))).toBe(0o755)
    })
  )

  it("an error of the file system becomes a text that says what to do", () => {
    const descriptionOf = (code: string) => DataFolder.describe(Object.assign(new Error(`${code}: x`), { code }))
    expect(descriptionOf("EACCES")).toMatch(/^cannot be read or written by this user \(id \d+\): give it to this user/)
    expect(descriptionOf("EPERM")).toBe(descriptionOf("EACCES"))
    expect(descriptionOf("EROFS")).toContain("cannot be written")
    expect(descriptionOf("ENOSPC")).toContain("disk that is full")
    expect(descriptionOf("EMFILE")).toContain("EMFILE")
  })

  it.effect("one that this user cannot write is named with the reason", () =>
    Effect.gen(function* () {
      const closed = join(directory, "closed")
      yield* Effect.promise(() => mkdir(closed, { mode: 0o500 }))
      // Root may write everywhere, except to /sys, where nobody may.
      const path = isRoot ? "/sys/data" : join(closed, "data")
      expect(yield* problemOf(path)).toMatch(/cannot be (read or written by this user|made there)|cannot be written/)
    })
  )
})
