import { SqlClient } from "@effect/sql/SqlClient"
import { Check } from "@place-access/domain/testing"
import { Effect } from "effect"

/** This case must run after the cases of `logRetentionContract`, which delete two deliveries with attempts. */
export const noAttemptsLeft = {
  name: "attempts go with their deliveries",
  run: Effect.flatMap(SqlClient, (sql) =>
    Effect.map(sql`SELECT * FROM delivery_attempts`, (rows) => Check.equal(rows, [], "attempts"))
  )
}
