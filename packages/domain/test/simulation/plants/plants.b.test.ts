import { Simulation } from "@place-access/domain/testing"
import { describe, expect, it } from "vitest"
import { all } from "../../../testing/simulation/oracles/index.js"
import { breath } from "../../support/breath.js"
import { plants as concurrency } from "./concurrency.js"
import { plants as deliveries } from "./deliveries.js"
import { plants as imports } from "./imports.js"
import { plants as limits } from "./limits.js"
import { plants as listeners } from "./listeners.js"
import type { Plant } from "./plant.js"
import { plants as rules } from "./rules.js"
import { plants as visits } from "./visits.js"
import { plants as webhooks } from "./webhooks.js"
import { plants as windows } from "./windows.js"

const families = { rules, windows, concurrency, visits, webhooks, deliveries, listeners, imports, limits }

const broken = ({ config, scenario }: Plant, sabotage?: Simulation.Sabotage) => {
  const config_ = { seed: 1, worker: { pollEvery: "10 minutes" }, oracles: all, ...config } as const
  const result = Simulation.runSync({ ...config_, ...(sabotage && { sabotage }) }, scenario)
  return { stopped: result.stopped, found: result.violations }
}

describe.each(Object.entries(families))("bugs planted in the service: %s", (_, plants) => {
  it.each(plants.map((plant) => [plant.oracle, plant.what, plant] as const))(
    "%s sees that %s",
    async (oracle, _, plant) => {
      await breath()
      expect(broken(plant)).toEqual({ stopped: null, found: [] })
      expect(broken(plant, plant.sabotage).found.map(({ invariant }) => invariant)).toContain(oracle)
    }
  )
})
