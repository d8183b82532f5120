import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { busyDay } from "../../../../packages/domain/test/testing/simulation/busyDay.js"
import { openEmbedded } from "../../src/simulate/Backends.js"

const run = (backend?: Simulation.Backend) =>
  Effect.promise(() => Simulation.run({ seed: 7, scheduling: "random", backend }, busyDay))

it("one scenario over the embedded database gives the same trace each time, and the one that memory gives", () =>
  Effect.gen(function* () {
    const inMemory = yield* run()
    const embedded = yield* openEmbedded
    const first = yield* run(embedded)
    expect(first.stopped).toBeNull()
    const again = yield* run(embedded)
    expect(again.jsonl).toBe(first.jsonl)
    expect(first.jsonl).toBe(inMemory.jsonl)
  }).pipe(Effect.scoped, Effect.runPromise))
