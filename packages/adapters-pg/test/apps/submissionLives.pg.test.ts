import { migratedOn } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"
import { submissionLivesOn } from "../support/submissionLives.js"

describeServers("generated submissions of an app", (server) => submissionLivesOn(migratedOn(server), server.share(15)))
