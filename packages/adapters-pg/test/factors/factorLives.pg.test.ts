import { migratedOn } from "../support/contracts.js"
import { factorLivesOn } from "../support/factorLives.js"
import { describeServers } from "../support/postgres.js"

describeServers("generated lives of second factors", (server) => factorLivesOn(migratedOn(server), server.share(30)))
