import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { describe, expect, inject, it } from "vitest"
import { busyDay, TROUBLE } from "../../../../packages/domain/test/testing/simulation/busyDay.js"
import { migratedCitus } from "../../../../packages/adapters-pg/test/support/contracts.js"
import { citus } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { openEmbedded, over, postgres } from "../../src/simulate/Backends.js"

const SEED = 7
const serverUrl = inject("pgUrl")

const run = (backend?: Simulation.Backend, more: Partial<Simulation.Config> = {}) =>
  Effect.promise(() => Simulation.run({ seed: SEED, scheduling: "random", backend, ...more }, busyDay))

/** Each run has a distributed database of its own. */
const onCitus = over("citus", migratedCitus)

describe("one scenario over every backend", () => {
  it("gives the same trace over the embedded database each time, and the one that memory gives", () =>
    Effect.gen(function* () {
      const inMemory = yield* run()
      const embedded = yield* openEmbedded
      const first = yield* run(embedded)
      expect(first.stopped).toBeNull()
      const again = yield* run(embedded)
      expect(again.jsonl).toBe(first.jsonl)
      expect(first.jsonl).toBe(inMemory.jsonl)
    }).pipe(Effect.scoped, Effect.runPromise))

  it.skipIf(serverUrl === null)("gives over a PostgreSQL server the trace that memory gives", () =>
    Effect.gen(function* () {
      const inMemory = yield* run()
      const onServer = yield* run(postgres(serverUrl ?? ""))
      expect(onServer.jsonl).toBe(inMemory.jsonl)
      const trouble = { faults: TROUBLE }
      const broken = yield* run(postgres(serverUrl ?? ""), trouble)
      expect(broken.jsonl).toBe((yield* run(undefined, trouble)).jsonl)
    }).pipe(Effect.runPromise)
  )

  it.skipIf(serverUrl === null)("runs a plan over a PostgreSQL server with the trace that memory gives", async () => {
    const plan = Simulation.Swarm.plan(5, 20)
    const onServer = await Simulation.runPlan(plan, { backend: postgres(serverUrl ?? "") })
    expect(onServer.jsonl).toBe(Simulation.runPlanSync(plan).jsonl)
    expect(onServer.violations).toEqual([])
  })

  // Not the same trace: what is due at the same moment comes from several shards, in any order.
  it.skipIf(!citus.isThere)("runs over Citus to its end", () =>
    Effect.gen(function* () {
      expect((yield* run(onCitus)).stopped).toBeNull()
    }).pipe(Effect.runPromise)
  )

  it.skipIf(!citus.isThere)("runs a plan over Citus, and no oracle finds a violation", async () => {
    const { violations } = await Simulation.runPlan(Simulation.Swarm.plan(5, 20), { backend: onCitus })
    expect(violations).toEqual([])
  })
})
