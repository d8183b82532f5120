import { SqlClient } from "@effect/sql/SqlClient"
import { type FactorChange, Factors, FactorStore } from "@place-access/domain/factors"
import { Timestamp, type UserId } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { AccountRow, COLUMNS, toAccount } from "../accounts/AccountRow.js"
import { lockingCredentials } from "../accounts/credentialLock.js"
import { SWEPT_AT_ONCE, swept } from "../accounts/swept.js"
import * as AuditLog from "../audit/SqlAuditLog.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import * as MailOutbox from "../mail/MailOutbox.js"
import { readFactors } from "./readFactors.js"
import { writeFactors } from "./writeFactors.js"

type Store = typeof FactorStore.Service

export const layer: Layer.Layer<FactorStore, never, SqlClient> = Layer.effect(
  FactorStore,
  Effect.map(SqlClient, (sql) =>
    FactorStore.of({
      read: (userId) => ownerOf(sql, userId, "").pipe(Effect.flatMap(stateOf(sql)), orStoreError),
      change: change(sql),
      keepChallenge: keepChallenge(sql),
      takeChallenge: takeChallenge(sql)
    })
  )
)

const OwnerRow = Schema.Struct({ ...AccountRow.fields, password_version: Schema.Int })

const ownerOf = (sql: SqlClient, userId: UserId, lock: "" | "FOR UPDATE") =>
  sql`SELECT ${COLUMNS}, password_version FROM accounts WHERE user_id = ${userId} ${sql.literal(lock)}`.pipe(
    Rows.first(OwnerRow)
  )

const stateOf = (sql: SqlClient) =>
  Effect.transposeMapOption((owner: typeof OwnerRow.Type) =>
    Effect.map(readFactors(sql, owner.user_id), (factors): Factors.FactorState => ({
      account: toAccount(owner),
      passwordVersion: owner.password_version,
      factors
    }))
  )

const change = (sql: SqlClient): Store["change"] => {
  const locking = lockingCredentials(sql)
  return (userId, decide) =>
    Effect.gen(function* () {
      // Reads the factors under the lock of the account's row and the lock of the credentials (`lockCredentials`):
      // `Reencryption` takes only the second lock before it changes factors.
      const state = yield* Effect.flatMap(locking(ownerOf(sql, userId, "FOR UPDATE")), stateOf(sql))
      if (Option.isNone(state)) return Option.none()
      const now = yield* Timestamp.now
      const [outcome, decided] = decide(state.value, now)
      if (decided !== null) yield* write(sql, userId, state.value.factors, decided, now)
      return Option.some(outcome)
    }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError)
}

const write = (
  sql: SqlClient,
  userId: UserId,
  before: Factors.Factors,
  { audit, endsSessions, factors, mails }: FactorChange,
  now: Timestamp.Timestamp
) =>
  Effect.gen(function* () {
    yield* writeFactors(sql, userId, before, factors)
    if (endsSessions) yield* sql`DELETE FROM sessions WHERE user_id = ${userId}`
    for (const event of audit) yield* AuditLog.append(sql, event)
    for (const mail of mails) yield* MailOutbox.queue(sql, mail, now)
  })

const keepChallenge =
  (sql: SqlClient): Store["keepChallenge"] =>
  (digest, expiresAt) =>
    sql`INSERT INTO passkey_challenges (challenge_hash, expires_at) VALUES (${digest}, ${Rows.at(expiresAt)})`.pipe(
      Effect.zipRight(
        swept("expired passkey challenges", sweep(sql, Timestamp.plus(expiresAt, -Factors.CHALLENGE_LIFETIME)))
      ),
      orStoreError
    )

const sweep = (sql: SqlClient, now: Timestamp.Timestamp) =>
  sql`DELETE FROM passkey_challenges WHERE challenge_hash IN (
        SELECT challenge_hash FROM passkey_challenges WHERE expires_at <= ${Rows.at(now)}
        ORDER BY expires_at LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED)`

const takeChallenge =
  (sql: SqlClient): Store["takeChallenge"] =>
  (digest, now) =>
    Rows.affected(
      sql`DELETE FROM passkey_challenges WHERE challenge_hash = ${digest} AND expires_at > ${Rows.at(now)}`
    ).pipe(
      Effect.map((count) => count > 0),
      orStoreError
    )
