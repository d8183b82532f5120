import { Simulation } from "@place-access/domain/testing"
import { describe, expect, it } from "vitest"
import { all } from "../../../testing/simulation/oracles/index.js"
import { breath } from "../../support/breath.js"
import { plants as accessLog } from "./accessLog.js"
import { type Plant, planted } from "./plant.js"
import { plants as answers } from "./answers.js"
import { plants as purposes } from "./purposes.js"
import { plants as replays } from "./replays.js"
import { plants as sessions } from "./sessions.js"
import { plants as steering } from "./steering.js"
import { plants as tiers } from "./tiers.js"
import { plants as tokens } from "./tokens.js"
import { plants as trouble } from "./trouble.js"

const families = { tokens, tiers, purposes, replays, accessLog, answers, sessions, steering, trouble }

const violations = ({ config, scenario, ...plant }: Plant, isPlanted: boolean) => {
  const base = { seed: 1, worker: { pollEvery: "10 minutes" }, oracles: all, ...config } as const
  const { stopped, violations } = Simulation.runSync({ ...base, ...(isPlanted ? planted(plant) : {}) }, scenario)
  return { stopped, violations }
}

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
