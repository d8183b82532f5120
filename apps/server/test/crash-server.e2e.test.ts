import { describe } from "vitest"
import { describeServers } from "../../../packages/adapters-pg/test/support/postgres.js"
import type { Service } from "./support/service.js"
import { survives } from "./support/survives.js"

const killServer = (service: Service) => service.restartServer()

describeServers("kill -9 of the server in the middle of uploads", ({ kind }) => {
  // The number of kills (`times`) is small, because after each kill the server must start again. On Citus the node that
  // has the rows commits too, and three kills are enough to test kills during this additional commit.
  survives({ setup: () => ({ database: kind, workers: 1 }), times: kind === "citus" ? 3 : 8, disturb: killServer })
})

describe("kill -9 of the server in the middle of uploads, on the embedded database", () => {
  survives({ setup: () => ({ database: "embedded" }), times: 5, disturb: killServer })
})
