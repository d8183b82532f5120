import { FolderCopy, layerEmbedded } from "@place-access/adapters-pg"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type * as Files from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { vi } from "vitest"

/** What the file system does in a test before it flushes a path, and before it deletes one. */
const disk = vi.hoisted(() => {
  const nothing: (path: string) => Promise<void> = () => Promise.resolve()
  return { beforeSync: nothing, beforeRemoval: nothing }
})

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof Files>()
  return {
    ...real,
    open: async (path: string, flags: string): Promise<Pick<Files.FileHandle, "sync" | "close">> => {
      const file = await real.open(path, flags)
      return { sync: () => disk.beforeSync(path).then(() => file.sync()), close: () => file.close() }
    },
    rm: (path: string, options: object) => disk.beforeRemoval(path).then(() => real.rm(path, options))
  }
})

const { mkdir, mkdtemp, readdir, rm, stat, writeFile } = await vi.importActual<typeof Files>("node:fs/promises")

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "place-access-"))
  await mkdir(join(directory, "from", "database"), { recursive: true })
  await writeFile(join(directory, "from", "database", "PG_VERSION"), "17")
})
afterEach(async () => {
  disk.beforeSync = () => Promise.resolve()
  disk.beforeRemoval = () => Promise.resolve()
  await rm(directory, { recursive: true, force: true, maxRetries: 5 })
})

const copy = Effect.suspend(() => FolderCopy.copyFolder(join(directory, "from"), join(directory, "to")))

const fails = (code: string): Promise<never> => Promise.reject(Object.assign(new Error(code), { code }))

describe("a copy of a data folder on its way to the disk", () => {
  it.effect("is made also on a file system that cannot flush a folder", () =>
    Effect.gen(function* () {
      disk.beforeSync = async (path) => ((await stat(path)).isDirectory() ? fails("EINVAL") : undefined)
      expect(yield* copy).toEqual(["database"])
      expect(yield* Effect.promise(() => readdir(directory))).toEqual(["from", "to"])
    }).pipe(Effect.provide(layerEmbedded()))
  )

  it.effect("is not left behind when the disk fails after it got its name", () =>
    Effect.gen(function* () {
      disk.beforeSync = (path) => (path === directory ? fails("EIO") : Promise.resolve())
      expect((yield* Effect.flip(copy))._tag).toBe("CopyFailed")
      expect(yield* Effect.promise(() => readdir(directory))).toEqual(["from"])
    }).pipe(Effect.provide(layerEmbedded()))
  )

  it.live("does not get its name after it was interrupted, while it is being deleted", () =>
    Effect.gen(function* () {
      const [isFlushing, isInterrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      disk.beforeSync = async (path) => {
        if (!path.endsWith("PG_VERSION")) return
        Effect.runSync(Deferred.succeed(isFlushing, undefined))
        await Effect.runPromise(Deferred.await(isInterrupted))
      }
      // The deletion of the draft waits, so that the rest of the copy would have time to rename the draft.
      disk.beforeRemoval = async () => {
        Effect.runSync(Deferred.succeed(isInterrupted, undefined))
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      const copying = yield* Effect.fork(copy)
      yield* Deferred.await(isFlushing)
      yield* Fiber.interrupt(copying)
      expect(yield* Effect.promise(() => readdir(directory))).toEqual(["from"])
    }).pipe(Effect.provide(layerEmbedded()))
  )
})
