import { appendFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { askZone } from "@place-access/domain/limits"
import { AppId, UserId } from "@place-access/domain/shared"
import { limitStoreContract, MemoryEntropy } from "@place-access/domain/testing"
import { Effect, Either, Layer, TestClock, TestContext } from "effect"
import { afterAll, describe, expect, it } from "vitest"
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

  // The contract suite cannot test this, because only this adapter has a log.
  it("what was asked outlives the process, and a line that was cut off", async () => {
    const path = join(folder, "restart")
    const whose = { userId: UserId.make("usr_ana"), appId: AppId.make("app_1") }
    const ask = (lat: number) =>
      Effect.runPromise(
        Effect.provide(Effect.either(askZone(whose, { lat, lon: 5, radiusM: 9_000 })), OwnLimitStore.layer(path))
      )
    for (const lat of [52, 52.01, 52.02]) expect(Either.isRight(await ask(lat))).toBe(true)
    appendFileSync(path, '["usr_')
    expect(Either.isLeft(await ask(52.03))).toBe(true)
  })
})
