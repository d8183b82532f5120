import { FolderCopy, layerEmbedded } from "@place-access/adapters-pg"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "place-access-"))
})
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))

describe("a copy of a data folder", () => {
  it.effect("of a folder without a database is refused, and nothing of the copy is left", () =>
    Effect.gen(function* () {
      const [from, to] = [join(directory, "from"), join(directory, "to")]
      yield* Effect.promise(() => mkdir(join(from, "database"), { recursive: true }))
      for (const _ of ["the first time", "tried again"]) {
        const error = yield* Effect.flip(FolderCopy.copyFolder(from, to))
        expect(error).toEqual(new FolderCopy.CopyFailed({ message: `${from} has no database` }))
        expect(yield* Effect.promise(() => readdir(directory))).toEqual(["from"])
      }
    }).pipe(Effect.provide(layerEmbedded()))
  )
})
