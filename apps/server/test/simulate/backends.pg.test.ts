import { DeliveryStore } from "@place-access/domain/deliveries"
import { Simulation } from "@place-access/domain/testing"
import { Effect, flow } from "effect"
import { expect, inject, it } from "vitest"
import { instead, readingNothingAhead } from "../../../../packages/domain/test/simulation/plants/plant.js"
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

/**
 * Makes the stores in memory work like those of a cluster: nothing is read ahead, and the worker marks every event as
 * fanned out in a separate step.
 */
const asOnCluster: Simulation.Sabotage = flow(
  readingNothingAhead,
  instead(DeliveryStore, (store) => ({
    insertAttempted: (row, how, attempt) => store.insertAttempted(row, how, attempt, false)
  }))
)

describeServers("one scenario over a server", (server) => {
  const backend = () => backendOf(server)
  const inMemory = server.kind === "citus" ? { sabotage: asOnCluster } : {}

  it("gives the trace that memory gives", () =>
    Effect.gen(function* () {
      expect((yield* run(backend())).jsonl).toBe((yield* run(undefined, inMemory)).jsonl)
    }).pipe(Effect.runPromise))

  it("gives the trace that memory gives, also with faults and crashes", () =>
    Effect.gen(function* () {
      const trouble = { faults: TROUBLE }
      expect((yield* run(backend(), trouble)).jsonl).toBe((yield* run(undefined, { ...trouble, ...inMemory })).jsonl)
    }).pipe(Effect.runPromise))

  // In the plans 30, 39, 90 and 335, events of two people are due at the same moment. The trace would differ if a
  // cluster returned the events in the order in which its shards answer.
  it.each([5, 30, 39, 90, 335])(
    "runs plan %i with the trace that memory gives, and no oracle finds a violation [deliveries-16]",
    async (seed) => {
      const plan = Simulation.Swarm.plan(seed, 20)
      const onServer = await Simulation.runPlan(plan, { backend: backend() })
      expect(onServer.jsonl).toBe(Simulation.runPlanSync(plan, inMemory).jsonl)
      expect(onServer.violations).toEqual([])
    }
  )
})
