import { SqlClient } from "@effect/sql/SqlClient"
import { IdempotencyStore } from "@place-access/domain/idempotency"
import { Timestamp, Vault } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { orStoreError } from "../Failures.js"
import * as Rows from "../driver/Rows.js"

const KeptRow = Schema.Struct({ fingerprint: Vault.Hash, sealed: Vault.Sealed, created_at: Rows.At })
const LockRow = Schema.Struct({ is_free: Schema.Boolean })

export const layer: Layer.Layer<IdempotencyStore, never, SqlClient> = Layer.effect(
  IdempotencyStore,
  Effect.map(SqlClient, (sql) =>
    IdempotencyStore.of({
      once: ({ keyHash, subject, userId }, fingerprint, decide, work) =>
        Effect.gen(function* () {
          // While one request has this lock, a second request with the same key does not wait: it gets `UnderWay`
          // immediately. The lock ends with the transaction, also when the connection breaks.
          const lock = yield* sql`SELECT pg_try_advisory_xact_lock(
              hashtextextended(${`idempotent answer ${userId} ${subject} ${keyHash}`}, 0)) AS is_free`.pipe(
            Rows.first(LockRow)
          )
          if (Option.isSome(lock) && !lock.value.is_free) return { _tag: "UnderWay" as const }
          const row = yield* sql`SELECT fingerprint, sealed, created_at FROM idempotent_answers
            WHERE user_id = ${userId} AND subject = ${subject} AND key_hash = ${keyHash}`.pipe(Rows.first(KeptRow))
          const kept = Option.map(row, (found) => ({ ...found, createdAt: found.created_at }))
          const now = yield* Timestamp.now
          const decision = decide(kept, now)
          if (decision._tag !== "Begin") return decision
          // Transactions that other stores begin inside `work` become savepoints of this transaction.
          const { sealed, value } = yield* work
          if (sealed !== null) {
            yield* sql`INSERT INTO idempotent_answers (user_id, subject, key_hash, fingerprint, sealed, created_at)
              VALUES (${userId}, ${subject}, ${keyHash}, ${fingerprint}, ${sealed}, ${Rows.at(now)})
              ON CONFLICT (user_id, subject, key_hash) DO UPDATE SET
                fingerprint = excluded.fingerprint, sealed = excluded.sealed, created_at = excluded.created_at`
          }
          return { _tag: "Worked" as const, value }
        }).pipe(sql.withTransaction, orStoreError)
    })
  )
)
