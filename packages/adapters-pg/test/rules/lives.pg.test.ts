import { migratedOn } from "../support/contracts.js"
import { livesOn } from "../support/lives.js"
import { describeServers } from "../support/postgres.js"

describeServers("lives lived through the programs", (server) => livesOn(migratedOn(server), 21, server.share(60)))
