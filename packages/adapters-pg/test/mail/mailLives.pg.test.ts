import { migratedOn } from "../support/contracts.js"
import { mailLivesOn } from "../support/mailLives.js"
import { describeServers } from "../support/postgres.js"

describeServers("generated lives of the outbox", (server) => mailLivesOn(migratedOn(server), server.share(60)))
