import { Vault } from "@place-access/domain/shared"
import { CannotStart, Data, type Settings } from "@place-access/worker"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "place-access-"))
})
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))

const dataDir = () => join(directory, "data")
const file = () => join(dataDir(), "secret-keys")
const embedded = (): Settings.Storage => ({ _tag: "Embedded", dataDir: dataDir(), keys: Option.none() })
const open = () => Vault.Vault.pipe(Effect.provide(Data.vault(embedded())))

describe("the keys of an embedded database", () => {
  it.effect("are made at the first start, for their owner's eyes only, and are the same at the next", () =>
    Effect.gen(function* () {
      const sealed = yield* (yield* open()).seal("secret", "ep_1")
      expect((yield* Effect.promise(() => stat(file()))).mode & 0o777).toBe(0o600)
      expect((yield* Effect.promise(() => stat(dataDir()))).mode & 0o777).toBe(0o700)
      expect(yield* (yield* open()).unseal(sealed, "ep_1")).toBe("secret")
    })
  )

  it.effect("are the same for several that start at once", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 20; round++) {
        yield* Effect.promise(() => rm(dataDir(), { recursive: true, force: true, maxRetries: 5 }))
        const vaults = yield* Effect.all(Array.from({ length: 8 }, open), { concurrency: "unbounded" })
        const derived = yield* Effect.forEach(vaults, (vault) => vault.derive("cursor", vault.currentKey, "x"))
        expect(new Set(derived).size).toBe(1)
        expect(yield* Effect.promise(() => readdir(dataDir()))).toEqual(["secret-keys"])
      }
    })
  )

  it.effect("are not made anew beside a database that is there: what it sealed would be lost", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => mkdir(join(dataDir(), "database"), { recursive: true, mode: 0o700 }))
      const error = yield* Effect.flip(open())
      expect(error).toBeInstanceOf(CannotStart)
      expect(error.message).toContain(file())
      expect(error.message).toContain("SECRET_KEYS")
    })
  )

  it.effect("a damaged file is named and left as it is", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => mkdir(dataDir(), { recursive: true }))
      yield* Effect.promise(() => writeFile(file(), "k1:c2hvcnQ=\n"))
      const error = yield* Effect.flip(open())
      expect(error.message).toContain(file())
      expect(error.message).not.toContain("c2hvcnQ=")
      expect(yield* Effect.promise(() => readFile(file(), "utf8"))).toBe("k1:c2hvcnQ=\n")
    })
  )
})
