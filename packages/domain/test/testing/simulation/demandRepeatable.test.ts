import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { randomInt } from "node:crypto"
import { expect, it } from "vitest"

const signUp = (email: () => string) => (world: Simulation.World) =>
  Effect.suspend(() => world.perform("signUp", { email: email(), roles: [] }))

it("a scenario that follows from its seed is repeatable, and its first result is returned", async () => {
  const result = await Simulation.demandRepeatable(
    { seed: 3 },
    signUp(() => "ana@example.org")
  )
  expect(result).toMatchObject({ seed: 3, stopped: null, violations: [] })
})

it("randomness of the host that the guard does not see is found, with the first lines that differ", async () => {
  const wild = signUp(() => `ana${randomInt(2 ** 40)}@example.org`)
  await expect(Simulation.demandRepeatable({ seed: 3 }, wild)).rejects.toThrow(
    /differ from line \d+ of the trace.*\n.*ana/
  )
})
