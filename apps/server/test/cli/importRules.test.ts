import { RuleStore } from "@place-access/domain/rules"
import {
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryTokenStore,
  MemoryDatabase,
  MemoryDeviceStore,
  MemoryEntropy,
  MemoryLeaseStore,
  MemoryLegacyStore,
  MemoryPlaceStore,
  MemoryRuleStore,
  MemoryVault,
  MemoryWebhookSender,
  RuleSamples
} from "@place-access/domain/testing"
import { type Console, Effect, Layer } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { importRules } from "../../src/cli/importRules.js"

const ports = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
  MemoryDeviceStore.layer,
  MemoryLeaseStore.layer,
  MemoryLegacyStore.layer,
  MemoryPlaceStore.layer,
  MemoryRuleStore.layer
).pipe(
  Layer.provide(MemoryDatabase.layer),
  Layer.provideMerge(Layer.mergeAll(MemoryEntropy.layer, MemoryVault.layer, MemoryWebhookSender.layer))
)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "place-access-"))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs the command on a file with the given lines, and returns its output. */
const run = (...lines: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const file = join(folder, "rules.jsonl")
    yield* Effect.promise(() => writeFile(file, lines.map((line) => JSON.stringify(line)).join("\n")))
    const output: Array<string> = []
    const console = yield* Effect.console
    const listening: Console.Console = {
      ...console,
      log: (...words) => Effect.sync(() => void output.push(words.join(" ")))
    }
    const ended = yield* Effect.either(Effect.withConsole(importRules(file), listening))
    return ended._tag === "Left" ? ended.left.message : output.join("\n")
  })

describe("rules import", () => {
  it("says how many were imported, how many were known, and of a file with a fault where it is; then nothing is changed", () =>
    Effect.gen(function* () {
      const { connection, place } = yield* RuleSamples.sharing()
      const line = {
        id: "old_1",
        connection_id: connection.id,
        type: "enter",
        place_id: place.id,
        webhook_url: "https://old.example.com/hook",
        secret: "a secret of before endpoints",
        created_at: "2020-06-01T00:00:00.000Z"
      }
      const rules = () =>
        Effect.flatMap(RuleStore, (store) => store.list(connection.userId, connection.id, "all", 10, undefined))
      const wrong = yield* run(line, { ...line, id: "old_2", type: "appear" })
      expect(wrong).toBe("Nothing was imported:\n  line 2: type must be one of enter, exit, dwell")
      expect((yield* rules()).items).toEqual([])
      expect(yield* run(line)).toBe("1 rule imported.")
      expect(yield* run(line, { ...line, id: "old_2" })).toBe("1 rule imported.\n1 rule had been imported before.")
      expect((yield* rules()).items.map(({ id }) => id)).toEqual(["old_1", "old_2"])
    }).pipe(Effect.provide(ports), Effect.runPromise))

  it("a file that is not there changes nothing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(importRules(join(folder, "none.jsonl")))
      expect(error.message).toContain("cannot be read. Nothing was changed")
    }).pipe(Effect.provide(ports), Effect.runPromise))
})
