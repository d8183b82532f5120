import { migratedPostgres } from "../support/contracts.js"
import { describePg } from "../support/postgres.js"
import { strikeLivesOn } from "../support/strikeLives.js"

describePg("generated lives of endpoints on PostgreSQL", () => strikeLivesOn(migratedPostgres, 40))
