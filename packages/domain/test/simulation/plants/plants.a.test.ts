import { describe, expect, it } from "vitest"
import { breath } from "../../support/breath.js"
import { plants as accessLog } from "./accessLog.js"
import { violations } from "./plant.js"
import { plants as answers } from "./answers.js"
import { plants as purposes } from "./purposes.js"
import { plants as replays } from "./replays.js"
import { plants as sessions } from "./sessions.js"
import { plants as steering } from "./steering.js"
import { plants as tiers } from "./tiers.js"
import { plants as tokens } from "./tokens.js"
import { plants as trouble } from "./trouble.js"

const families = { tokens, tiers, purposes, replays, accessLog, answers, sessions, steering, trouble }

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
