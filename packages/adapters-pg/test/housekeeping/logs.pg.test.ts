import { SqlDeliveryStore, SqlMailOutbox, SqlRetentionStore } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Check, logRetentionContract } from "@place-access/domain/testing"
import { Effect, Layer } from "effect"
import { runContractPg } from "../support/contracts.js"
import { UploadStores } from "../support/uploadStores.js"

/** After those rules: two of the deliveries had been attempted. */
const noAttempts = {
  name: "attempts go with their deliveries",
  run: Effect.flatMap(SqlClient, (sql) =>
    Effect.map(sql`SELECT * FROM delivery_attempts`, (rows) => Check.equal(rows, [], "attempts"))
  )
}

runContractPg(
  "SqlRetentionStore, logs",
  [...logRetentionContract, noAttempts],
  Layer.mergeAll(SqlDeliveryStore.layer, SqlMailOutbox.layer, SqlRetentionStore.layer, UploadStores)
)
