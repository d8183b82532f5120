import { SqlClient } from "@effect/sql/SqlClient"
import { Check } from "@place-access/domain/testing"
import { Effect } from "effect"

/** Runs after the cases of `logRetentionContract`, in which two of the deliveries had been attempted. */
export const noAttemptsLeft = {
  name: "attempts go with their deliveries",
  run: Effect.flatMap(SqlClient, (sql) =>
    Effect.map(sql`SELECT * FROM delivery_attempts`, (rows) => Check.equal(rows, [], "attempts"))
  )
}
