import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach } from "vitest"
import { openWorld } from "../../src/virtual/serveVirtual.js"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "place-access-world-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const OPTIONS = { seed: "one", at: null }
const stateOf = (path: string) =>
  Effect.promise(async () => ({ mode: (await stat(path)).mode & 0o777, names: await readdir(path) }))

describe("the folder of a new test world [virtual-time-1]", () => {
  it.effect("is refused when other programs use it (DATA_DIR=/tmp), and left as it is", () =>
    Effect.gen(function* () {
      yield* Effect.promise(async () => {
        await chmod(folder, 0o755)
        await writeFile(join(folder, "notes.txt"), "")
      })
      expect(yield* Effect.flip(openWorld(folder, OPTIONS))).toMatchObject({
        fault: "settings",
        message: expect.stringContaining("holds other files, and other users of the machine may enter it")
      })
      expect(yield* stateOf(folder)).toEqual({ mode: 0o755, names: ["notes.txt"] })
    })
  )

  it.effect("is made when it is missing, and closed to others when it is empty; then it has the mark", () =>
    Effect.gen(function* () {
      const empty = join(folder, "empty")
      yield* Effect.promise(async () => {
        await mkdir(empty)
        await chmod(empty, 0o755)
      })
      for (const dataDir of [empty, join(folder, "a", "missing")]) {
        expect(yield* openWorld(dataDir, OPTIONS)).toMatchObject({ seed: "one", starts: 1 })
        expect(yield* stateOf(dataDir)).toEqual({ mode: 0o700, names: ["test-world.json"] })
      }
    })
  )
})
