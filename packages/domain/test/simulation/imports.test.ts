import { Simulation } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { walk } from "./plants/imports.js"

it("two files that overlap are read, and undoing one leaves what the other one brought too", () => {
  const result = Simulation.runSync({ seed: 1, scheduling: "random", workers: 2 }, (world) =>
    Effect.gen(function* () {
      const ana = yield* world.user("ana")
      const first = yield* ana.importFile(walk(0, 12), { wrong: 2 })
      yield* ana.importFile(walk(6, 12))
      yield* world.advance("1 minute")
      const counts = (yield* ana.imports).map(({ counts: { duplicates, quarantined, stored }, state }) => [
        state,
        stored + duplicates,
        quarantined
      ])
      expect(counts.sort()).toEqual([
        ["done", 12, 0],
        ["done", 12, 2]
      ])
      expect((yield* ana.history).readings).toHaveLength(18)
      yield* ana.undoImport(first)
      yield* world.advance("1 minute")
      expect((yield* ana.history).readings).toEqual(
        walk(6, 12)
          .map(({ capturedAt }) => capturedAt)
          .toReversed()
      )
    })
  )
  expect([result.stopped, result.violations]).toEqual([null, []])
})

it("a worker that dies in the middle of a file is followed by another one, which goes on", () => {
  const faults = { crash: { p: 0.02, times: 2 } }
  for (const seed of [1, 2, 3]) {
    const result = Simulation.runSync({ seed, scheduling: "random", workers: 2, faults }, (world) =>
      Effect.gen(function* () {
        const ana = yield* world.user("ana")
        yield* ana.importFile(walk(0, 40))
        yield* world.advance("10 minutes")
        expect((yield* ana.imports).map(({ counts, state }) => [state, counts.stored])).toEqual([["done", 40]])
      })
    )
    expect([result.stopped, result.violations]).toEqual([null, []])
  }
})
