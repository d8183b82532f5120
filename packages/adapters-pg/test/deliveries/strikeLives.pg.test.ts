import { migratedOn } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"
import { strikeLivesOn } from "../support/strikeLives.js"

describeServers("generated lives of endpoints", (server) => strikeLivesOn(migratedOn(server), server.share(40)))
