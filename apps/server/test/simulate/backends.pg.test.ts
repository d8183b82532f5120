import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { expect, inject, it } from "vitest"
import { busyDay, TROUBLE } from "../../../../packages/domain/test/testing/simulation/busyDay.js"
import { migratedCitus } from "../../../../packages/adapters-pg/test/support/contracts.js"
import { describeServers, type Server } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { over, postgres } from "../../src/simulate/Backends.js"

const SEED = 7
const serverUrl = inject("pgUrl")

const run = (backend?: Simulation.Backend, more: Partial<Simulation.Config> = {}) =>
  Effect.promise(() => Simulation.run({ seed: SEED, scheduling: "random", backend, ...more }, busyDay))

/** A backend on the given kind of server. Each run on Citus has a separate distributed database. */
const backendOf = ({ kind }: Server): Simulation.Backend =>
  kind === "citus" ? over("citus", migratedCitus) : postgres(serverUrl ?? "")

describeServers("one scenario over a server", (server) => {
  const backend = () => backendOf(server)

  it("gives the trace that memory gives", () =>
    Effect.gen(function* () {
      expect((yield* run(backend())).jsonl).toBe((yield* run()).jsonl)
    }).pipe(Effect.runPromise))

  it("gives the trace that memory gives, also with faults and crashes", () =>
    Effect.gen(function* () {
      const trouble = { faults: TROUBLE }
      expect((yield* run(backend(), trouble)).jsonl).toBe((yield* run(undefined, trouble)).jsonl)
    }).pipe(Effect.runPromise))

  // In the plans 30, 39, 90 and 335, events of two people are due at the same moment. The trace would differ if a
  // cluster returned the events in the order in which its shards answer.
  it.each([5, 30, 39, 90, 335])(
    "runs plan %i with the trace that memory gives, and no oracle finds a violation [deliveries-16]",
    async (seed) => {
      const plan = Simulation.Swarm.plan(seed, 20)
      const onServer = await Simulation.runPlan(plan, { backend: backend() })
      expect(onServer.jsonl).toBe(Simulation.runPlanSync(plan).jsonl)
      expect(onServer.violations).toEqual([])
    }
  )
})
