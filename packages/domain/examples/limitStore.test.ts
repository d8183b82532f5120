import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { limitStoreContract, MemoryEntropy } from "@place-access/domain/testing"
import { Effect, Layer, TestClock, TestContext } from "effect"
import { afterAll, describe, it } from "vitest"
import * as OwnLimitStore from "./limitStore.js"

describe("LimitStore over a log", () => {
  const folder = mkdtempSync(join(tmpdir(), "limits-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  for (const { name, run } of limitStoreContract) {
    it(name, () => {
      const path = join(folder, name)
      const layer = Layer.mergeAll(OwnLimitStore.layer(path), MemoryEntropy.layer, TestContext.TestContext)
      const begun = TestClock.setTime(Date.UTC(2026, 0, 15, 12))
      return Effect.runPromise(Effect.provide(Effect.zipRight(begun, run), layer))
    })
  }
})
