import { NodeVault } from "@place-access/adapters-pg"
import { Data } from "@place-access/worker"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Either, Fiber, Layer, Option, Schedule } from "effect"
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach } from "vitest"
import { keysStatus } from "../../src/cli/keys.js"
import { database as doctorOf } from "../../src/doctor/database.js"
import * as Ports from "../../src/Ports.js"
import * as ServerSettings from "../../src/ServerSettings.js"
import * as Mark from "../../src/virtual/Mark.js"
import { openWorld, serveVirtual } from "../../src/virtual/serveVirtual.js"
import * as WorldKeys from "../../src/virtual/WorldKeys.js"
import { freePort } from "../support/freePort.js"

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

  it.effect(
    "is still new after a start that failed before the database was made: the seed gives the same run [virtual-time-5]",
    () =>
      Effect.gen(function* () {
        const first = yield* openWorld(folder, OPTIONS)
        expect(yield* openWorld(folder, OPTIONS)).toEqual(first)
        expect(yield* openWorld(folder, { seed: null, at: null })).toEqual(first)
        expect(yield* openWorld(folder, { seed: "two", at: 5 })).toEqual({ seed: "two", now: 5, starts: 1 })
      })
  )

  it.effect("is used from the moment it has a database: --seed and --at are refused, and each start counts", () =>
    Effect.gen(function* () {
      const first = yield* openWorld(folder, OPTIONS)
      yield* Effect.promise(async () => {
        await mkdir(join(folder, "database"))
        await writeFile(join(folder, "database", "PG_VERSION"), "17")
      })
      expect(yield* Effect.flip(openWorld(folder, OPTIONS))).toMatchObject({ fault: "usage" })
      expect(yield* openWorld(folder, { seed: null, at: null })).toEqual({ ...first, starts: 2 })
    })
  )
})

describe("two starts on one folder at the same time [virtual-time-1]", () => {
  it.live("write the mark beside each other, and leave no draft of it", () =>
    Effect.gen(function* () {
      const marks = Array.from({ length: 20 }, (_, index) => ({ now: index, seed: null, starts: 1 }))
      yield* Effect.forEach(marks, (mark) => Mark.write(folder, mark), { concurrency: "unbounded" })
      expect(marks).toContainEqual(Option.getOrUndefined(yield* Mark.read(folder)))
      expect(yield* stateOf(folder)).toMatchObject({ names: ["test-world.json"] })
    })
  )

  it.live("the folder has the mark of the start that opened the database", () =>
    Effect.gen(function* () {
      const port = String(yield* Effect.promise(() => freePort()))
      const variables = new Map([
        ["DATA_DIR", folder],
        ["DRAIN_SECONDS", "0"],
        ["PORT", port],
        ["BASE_URL", `http://localhost:${port}`]
      ])
      const settings = yield* ServerSettings.config.pipe(Effect.withConfigProvider(ConfigProvider.fromMap(variables)))
      const seedInMark = Effect.map(Mark.read(folder), (mark) => Option.getOrUndefined(mark)?.seed)
      const first = yield* Effect.fork(serveVirtual(settings, OPTIONS))
      yield* Effect.repeat(seedInMark, { until: (seed) => seed !== undefined, schedule: Schedule.spaced("2 millis") })
      // The second start finds no database yet, so it takes the folder for a new one.
      yield* openWorld(folder, { seed: "two", at: null })
      yield* Effect.repeat(
        Effect.promise(() =>
          fetch(`http://localhost:${port}/readyz`).then(
            ({ ok }) => ok,
            () => false
          )
        ),
        { until: (isReady) => isReady, schedule: Schedule.spaced("50 millis") }
      )
      expect(yield* seedInMark).toBe("one")
      yield* Fiber.interrupt(first)
    })
  )
})

describe("the key of a test world with a seed [virtual-time-5]", () => {
  const storage = () => ({ _tag: "Embedded", dataDir: folder, keys: Option.none() }) as const

  it.effect("is that of its seed, also for a command that reads the folder while no server runs", () =>
    Effect.gen(function* () {
      const mark = yield* openWorld(folder, OPTIONS)
      const found = yield* WorldKeys.ofFolder(storage())
      expect(found).toEqual(WorldKeys.ofWorld(storage(), mark))
      expect(found).not.toEqual(storage())
    })
  )

  it.live(
    "opens what is sealed: the doctor and the status of the keys report no missing key while no server runs",
    () =>
      Effect.gen(function* () {
        const mark = yield* openWorld(folder, OPTIONS)
        yield* Effect.scoped(Layer.build(Ports.database({ storage: WorldKeys.ofWorld(storage(), mark) }, Data.COMMAND)))
        const findings = yield* doctorOf(storage())
        expect(findings.filter(({ state }) => state === "problem")).toEqual([])
        expect(findings.map(({ check }) => check)).toContain("keys")
        expect(yield* Effect.either(keysStatus(true, storage()))).toEqual(Either.right(undefined))
        expect(yield* Effect.promise(() => readdir(folder))).not.toContain("keys")
      })
  )

  it.effect("is not taken for a folder that is no test world, and not in place of SECRET_KEYS", () =>
    Effect.gen(function* () {
      expect(yield* WorldKeys.ofFolder(storage())).toEqual(storage())
      yield* openWorld(folder, OPTIONS)
      const own = { ...storage(), keys: Option.some(Either.getOrThrow(NodeVault.parseKeys(`own:${"A".repeat(43)}=`))) }
      expect(yield* WorldKeys.ofFolder(own)).toEqual(own)
    })
  )
})
