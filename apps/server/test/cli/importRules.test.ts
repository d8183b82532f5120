import { LegacyStore } from "@place-access/domain/legacy"
import { RuleStore } from "@place-access/domain/rules"
import { StoreError } from "@place-access/domain/shared"
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
  runOn(Buffer.from(lines.map((line) => JSON.stringify(line)).join("\n")))

/** Runs the command on a file with these bytes, and returns its output. */
const runOn = (bytes: Uint8Array) =>
  Effect.gen(function* () {
    const file = join(folder, "rules.jsonl")
    yield* Effect.promise(() => writeFile(file, bytes))
    const output: Array<string> = []
    const console = yield* Effect.console
    const listening: Console.Console = {
      ...console,
      log: (...words) => Effect.sync(() => void output.push(words.join(" ")))
    }
    const ended = yield* Effect.either(Effect.withConsole(importRules(file), listening))
    return ended._tag === "Left" ? ended.left.message : output.join("\n")
  })

/** A valid line of the file, before it is written as JSON. */
const lineOf = (connectionId: string, placeId: string) => ({
  id: "old_1",
  connection_id: connectionId,
  type: "enter",
  place_id: placeId,
  webhook_url: "https://old.example.com/hook",
  secret: "a secret of before endpoints",
  created_at: "2020-06-01T00:00:00.000Z"
})

describe("rules import", () => {
  it("says how many were imported, how many were known, and of a file with a fault where it is; then nothing is changed", () =>
    Effect.gen(function* () {
      const { connection, place } = yield* RuleSamples.sharing()
      const line = lineOf(connection.id, place.id)
      const rules = () =>
        Effect.flatMap(RuleStore, (store) => store.list(connection.userId, connection.id, "all", 10, undefined))
      const wrong = yield* run(line, { ...line, id: "old_2", type: "appear" })
      expect(wrong).toBe("Nothing was imported:\n  line 2: type must be one of enter, exit, dwell")
      expect((yield* rules()).items).toEqual([])
      expect(yield* run(line)).toBe("1 rule imported.")
      expect(yield* run(line, { ...line, id: "old_2" })).toBe("1 rule imported.\n1 rule had been imported before.")
      expect((yield* rules()).items.map(({ id }) => id)).toEqual(["old_1", "old_2"])
    }).pipe(Effect.provide(ports), Effect.runPromise))

  it("a file that is not UTF-8 is refused, with the numbers of its lines; otherwise other secrets would be stored [legacy-2]", () =>
    Effect.gen(function* () {
      const { connection, place } = yield* RuleSamples.sharing()
      const line = (id: string, secret: string) => JSON.stringify({ ...lineOf(connection.id, place.id), id, secret })
      const lines = [line("old_1", "a plain secret of ASCII"), line("old_2", "Schlüssel der alten Regel"), ""]
      const [plain = "", accented = ""] = lines
      expect(yield* runOn(Buffer.from([plain, accented, plain, accented].join("\r\n"), "latin1"))).toBe(
        "Nothing was imported:\n  line 2: is not UTF-8\n  line 4: is not UTF-8"
      )
      const { items } = yield* (yield* RuleStore).list(connection.userId, connection.id, "all", 10, undefined)
      expect(items).toEqual([])
      expect(yield* runOn(Buffer.from(`\uFEFF${lines.join("\r\n")}`))).toBe("2 rules imported.")
    }).pipe(Effect.provide(ports), Effect.runPromise))

  it("a file that is not there changes nothing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(importRules(join(folder, "none.jsonl")))
      expect(error.message).toContain("cannot be read. Nothing was changed")
    }).pipe(Effect.provide(ports), Effect.runPromise))

  it("says what may have happened when the answer of the database is lost after the rules were stored", () =>
    Effect.gen(function* () {
      const { connection, place } = yield* RuleSamples.sharing()
      const line = lineOf(connection.id, place.id)
      const store = yield* LegacyStore
      const lost = LegacyStore.of({
        ...store,
        importRules: (requested, decide) =>
          Effect.zipRight(store.importRules(requested, decide), StoreError.unavailable("the connection broke"))
      })
      expect(yield* Effect.provideService(run(line), LegacyStore, lost)).toBe(
        "The database did not confirm that it stored the rules. Nothing was changed, or all rules were imported. " +
          "Repeat the command: it imports no rule twice."
      )
      expect(yield* run(line)).toBe("0 rules imported.\n1 rule had been imported before.")
    }).pipe(Effect.provide(ports), Effect.runPromise))
})
