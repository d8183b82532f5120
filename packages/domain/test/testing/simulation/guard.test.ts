import { Simulation } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"

/** The functions of the host that the guard watches. */
const host = () => [Date, Math.random, performance.now, crypto.randomUUID, setTimeout, setInterval, setImmediate]

const hour: Simulation.Scenario = (world) => Effect.zipRight(world.user("ana"), world.advance("1 hour"))
const careless: Simulation.Scenario = (world) => Effect.map(hour(world), () => Math.random())

const backend: Simulation.Backend = { ...Simulation.memory, isHosted: true }
const run = (seed: number, scenario: Simulation.Scenario) => Simulation.run({ seed, backend }, scenario)

it("two runs over databases at the same time: who read the host fails, the other does not, and the host has back what it had", async () => {
  const before = host()
  const [one, other, third] = await Promise.allSettled([run(1, hour), run(2, careless), run(3, hour)])
  expect(one).toMatchObject({ status: "fulfilled", value: { stopped: null, violations: [] } })
  expect(other).toMatchObject({ status: "rejected", reason: { name: "HostRead" } })
  expect(third).toMatchObject({ status: "fulfilled", value: { stopped: null, violations: [] } })
  expect(host()).toEqual(before)
})

it("a run that breaks gives the host back what it had", () => {
  const before = host()
  expect(() => Simulation.runSync({ seed: 1 }, careless)).toThrow("Math.random")
  expect(host()).toEqual(before)
})
