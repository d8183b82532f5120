import { migratedPostgres } from "../support/contracts.js"
import { mailLivesOn } from "../support/mailLives.js"
import { describePg } from "../support/postgres.js"

describePg("generated lives of the outbox on PostgreSQL", () => mailLivesOn(migratedPostgres, 60))
