import { FolderCopy } from "@place-access/adapters-pg"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { emptyEmbedded } from "../support/embedded.js"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "place-access-"))
  await mkdir(join(directory, "from", "database"), { recursive: true })
  await writeFile(join(directory, "from", "database", "PG_VERSION"), "17")
})
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))

/** Makes a copy on a disk whose given operations differ from those of a real disk. */
const copyOn = (disk: Partial<FolderCopy.Disk>) =>
  FolderCopy.copyFolder(join(directory, "from"), join(directory, "to"), { disk: { ...FolderCopy.DISK, ...disk } })

const fails = (code: string): Promise<never> => Promise.reject(Object.assign(new Error(code), { code }))

const isGoing = (goOn: () => void): boolean => {
  try {
    goOn()
    return true
  } catch {
    return false
  }
}

describe("a copy of a data folder on its way to the disk", () => {
  it.effect("is made also on a file system that cannot flush a folder", () =>
    Effect.gen(function* () {
      const flush = async (path: string) =>
        (await stat(path)).isDirectory() ? fails("EINVAL") : FolderCopy.DISK.flush(path)
      expect(yield* copyOn({ flush })).toEqual(["database"])
      expect(yield* Effect.promise(() => readdir(directory))).toEqual(["from", "to"])
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.effect("is not left behind when the disk fails after it got its name", () =>
    Effect.gen(function* () {
      const flush = (path: string) => (path === directory ? fails("EIO") : FolderCopy.DISK.flush(path))
      expect((yield* Effect.flip(copyOn({ flush })))._tag).toBe("CopyFailed")
      expect(yield* Effect.promise(() => readdir(directory))).toEqual(["from"])
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.live("does not get its name after it was interrupted, while it is being deleted", () =>
    Effect.gen(function* () {
      const [isFlushing, isInterrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const flush = async (path: string) => {
        if (!path.endsWith("PG_VERSION")) return
        Effect.runSync(Deferred.succeed(isFlushing, undefined))
        await Effect.runPromise(Deferred.await(isInterrupted))
      }
      // The deletion of the unfinished copy takes 200 ms. If the interrupted copy still ran, it would rename its draft
      // in this time, and the test would find the copy.
      const remove = async (path: string) => {
        Effect.runSync(Deferred.succeed(isInterrupted, undefined))
        await new Promise((resolve) => setTimeout(resolve, 200))
        await FolderCopy.DISK.remove(path)
      }
      const copying = yield* Effect.fork(copyOn({ flush, remove }))
      yield* Deferred.await(isFlushing)
      yield* Fiber.interrupt(copying)
      expect(yield* Effect.promise(() => readdir(directory))).toEqual(["from"])
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.live("is deleted only after the copying of its files has ended, when it is interrupted", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const isCopying = yield* Deferred.make<void>()
      // The copying goes on for 200 ms after the interruption, as when one file is large.
      const copy: FolderCopy.Disk["copy"] = async (from, to, goOn) => {
        Effect.runSync(Deferred.succeed(isCopying, undefined))
        while (isGoing(goOn)) await new Promise((resolve) => setTimeout(resolve, 1))
        await new Promise((resolve) => setTimeout(resolve, 200))
        await FolderCopy.DISK.copy(from, to, () => undefined)
        events.push("copied")
      }
      const remove = async (path: string) => {
        events.push("removed")
        await FolderCopy.DISK.remove(path)
      }
      const copying = yield* Effect.fork(copyOn({ copy, remove }))
      yield* Deferred.await(isCopying)
      yield* Fiber.interrupt(copying)
      expect(events).toEqual(["copied", "removed"])
      expect(yield* Effect.promise(() => readdir(directory))).toEqual(["from"])
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.live("is deleted as a whole after it was interrupted while its files were being copied", () =>
    Effect.gen(function* () {
      const draft = join(directory, "to.partial")
      yield* Effect.promise(async () => {
        await mkdir(join(directory, "from", "database", "base"))
        for (let index = 0; index < 2_000; index++) {
          await writeFile(join(directory, "from", "database", "base", String(index)), "x")
        }
      })
      const copying = yield* Effect.fork(copyOn({}))
      yield* Effect.repeat(Effect.sleep("1 millis"), { until: () => existsSync(join(draft, "database", "base")) })
      yield* Fiber.interrupt(copying)
      // A copy that still ran would write further files in this time.
      yield* Effect.sleep("200 millis")
      expect(yield* Effect.promise(() => readdir(directory))).toEqual(["from"])
    }).pipe(Effect.provide(emptyEmbedded))
  )
})
