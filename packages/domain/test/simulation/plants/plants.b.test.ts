import { describe, expect, it } from "vitest"
import { breath } from "../../support/breath.js"
import { plants as concurrency } from "./concurrency.js"
import { plants as deliveries } from "./deliveries.js"
import { plants as imports } from "./imports.js"
import { plants as limits } from "./limits.js"
import { plants as listeners } from "./listeners.js"
import { violations } from "./plant.js"
import { plants as rules } from "./rules.js"
import { plants as visits } from "./visits.js"
import { plants as webhooks } from "./webhooks.js"
import { plants as windows } from "./windows.js"

const families = { rules, windows, concurrency, visits, webhooks, deliveries, listeners, imports, limits }

describe.each(Object.entries(families))("bugs planted in the service: %s", (_, plants) => {
  it.each(plants.map((plant) => [plant.oracle, plant.what, plant] as const))(
    "%s sees that %s",
    async (oracle, _, plant) => {
      await breath()
      expect(violations(plant, false)).toEqual({ stopped: null, violations: [] })
      expect(violations(plant, true).violations.map(({ invariant }) => invariant)).toContain(oracle)
    }
  )
})
