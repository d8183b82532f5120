import { migratedOn } from "../support/contracts.js"
import { fixCountLivesOn } from "../support/fixCountLives.js"
import { describeServers } from "../support/postgres.js"

describeServers("the counts of fixes", (server) => {
  fixCountLivesOn(migratedOn(server), server.share(30))
})
