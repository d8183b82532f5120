import { migratedOn } from "../support/contracts.js"
import { credentialLivesOn } from "../support/credentialLives.js"
import { describeServers } from "../support/postgres.js"

describeServers("generated lives of an account", (server) => credentialLivesOn(migratedOn(server), server.share(40)))
