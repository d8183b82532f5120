import { FolderCopy } from "@place-access/adapters-pg"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Either, Exit, Fiber } from "effect"
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { embeddedWith, emptyEmbedded } from "../support/embedded.js"
import { refusedWhileHeld } from "../support/refusedWhileHeld.js"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "place-access-"))
})
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))

describe("a copy of a data folder", () => {
  it.effect("of a folder without a database is refused, and nothing of the copy is left", () =>
    Effect.gen(function* () {
      const [from, to] = [join(directory, "from"), join(directory, "backups", "to")]
      yield* Effect.promise(() => mkdir(join(from, "database"), { recursive: true }))
      for (const _ of ["the first time", "tried again"]) {
        const error = yield* Effect.flip(FolderCopy.copyFolder(from, to))
        expect(error).toEqual(new FolderCopy.CopyFailed({ message: `${from} has no database` }))
        expect(yield* Effect.promise(() => readdir(directory))).toEqual(["from"])
      }
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.effect("is made together with the folders that lead to it, which only their owner may enter", () =>
    Effect.gen(function* () {
      const [from, to] = [join(directory, "from"), join(directory, "backups", "2026", "to")]
      yield* Effect.promise(() => mkdir(join(from, "database"), { recursive: true }))
      yield* Effect.promise(() => writeFile(join(from, "database", "PG_VERSION"), "17"))
      expect(yield* FolderCopy.copyFolder(from, to)).toEqual(["database"])
      for (const folder of [to, join(to, ".."), join(to, "../..")]) {
        expect((yield* Effect.promise(() => stat(folder))).mode & 0o777).toBe(0o700)
      }
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.live("is not made while another transaction holds the database for too long, and nothing of it is left", () =>
    Effect.gen(function* () {
      const [from, to] = [join(directory, "from"), join(directory, "to")]
      yield* Effect.promise(() => mkdir(join(from, "database"), { recursive: true }))
      yield* Effect.promise(() => writeFile(join(from, "database", "PG_VERSION"), "17"))
      const exit = yield* refusedWhileHeld(FolderCopy.copyFolder(from, to))
      expect(Exit.isFailure(exit)).toBe(true)
      expect(yield* Effect.promise(() => readdir(directory))).toEqual(["from"])
    }).pipe(Effect.provide(embeddedWith({ waitLimitMillis: 50 })))
  )

  it.effect("has the database's files, also when the folder of the database is a link to another disk", () =>
    Effect.gen(function* () {
      const [from, to, disk] = [join(directory, "from"), join(directory, "to"), join(directory, "disk")]
      yield* Effect.promise(async () => {
        await mkdir(from)
        await mkdir(disk)
        await writeFile(join(disk, "PG_VERSION"), "17")
        await symlink(disk, join(from, "database"))
      })
      yield* FolderCopy.copyFolder(from, to)
      expect((yield* Effect.promise(() => lstat(join(to, "database")))).isDirectory()).toBe(true)
      expect(yield* Effect.promise(() => readFile(join(to, "database", "PG_VERSION"), "utf8"))).toBe("17")
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.effect("replaces what an interrupted copy left behind, and leaves a folder of somebody else alone", () =>
    Effect.gen(function* () {
      const [from, to, draft] = [join(directory, "from"), join(directory, "to"), join(directory, "to.partial")]
      yield* Effect.promise(async () => {
        await mkdir(join(from, "database"), { recursive: true })
        await writeFile(join(from, "database", "PG_VERSION"), "17")
        await mkdir(join(draft, "database"), { recursive: true })
        await writeFile(join(draft, "holiday.jpg"), "")
      })
      expect(yield* Effect.flip(FolderCopy.copyFolder(from, to))).toEqual(
        new FolderCopy.CopyFailed({ message: `${draft} exists already, and is no unfinished copy` })
      )
      expect(yield* Effect.promise(() => readdir(draft))).toEqual(["database", "holiday.jpg"])
      yield* Effect.promise(() => rm(join(draft, "holiday.jpg")))
      expect(yield* FolderCopy.copyFolder(from, to)).toEqual(["database"])
      expect(yield* Effect.promise(() => readdir(directory))).toEqual(["from", "to"])
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.live("is complete when a second copy to the same folder begins meanwhile, and the second is refused", () =>
    Effect.gen(function* () {
      const [from, to] = [join(directory, "from"), join(directory, "to")]
      yield* Effect.promise(async () => {
        for (const folder of ["base", "global", "pg_wal"]) {
          await mkdir(join(from, "database", folder), { recursive: true })
          for (let index = 0; index < 100; index++) {
            await writeFile(join(from, "database", folder, String(index)), "x")
          }
        }
        await writeFile(join(from, "database", "PG_VERSION"), "17")
      })
      const isUnderWay = yield* Deferred.make<void>()
      let pause: Promise<unknown> | undefined
      const flush = async (path: string) => {
        Deferred.unsafeDone(isUnderWay, Effect.void)
        // During this pause, a second copy would delete the files of this copy if the second copy did not wait for the
        // end of this copy.
        await (pause ??= setTimeout(500))
        await FolderCopy.DISK.flush(path)
      }
      const first = yield* Effect.fork(FolderCopy.copyFolder(from, to, { disk: { ...FolderCopy.DISK, flush } }))
      yield* Deferred.await(isUnderWay)
      const second = yield* Effect.either(FolderCopy.copyFolder(from, to))
      expect(yield* Effect.either(Fiber.join(first))).toEqual(Either.right(["database"]))
      expect(second).toEqual(Either.left(new FolderCopy.CopyFailed({ message: `${to} exists already` })))
      const names = (folder: string) => Effect.promise(async () => (await readdir(folder, { recursive: true })).sort())
      expect(yield* names(to)).toEqual(yield* names(from))
    }).pipe(Effect.provide(emptyEmbedded))
  )
})
