import { migratedPostgres } from "../support/contracts.js"
import { livesOn } from "../support/lives.js"
import { describePg } from "../support/postgres.js"

describePg("lives lived through the programs, on PostgreSQL", () => livesOn(migratedPostgres, 21, 60))
