import type { SqlClient } from "@effect/sql/SqlClient"
import type { Factors } from "@place-access/domain/factors"
import type { UserId } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Rows from "../driver/Rows.js"

/** Stores what differs between `before` and `after`. The caller has locked the account's row. */
export const writeFactors = (sql: SqlClient, userId: UserId, before: Factors.Factors, after: Factors.Factors) =>
  Effect.gen(function* () {
    yield* writePasskeys(sql, userId, before.passkeys, after.passkeys)
    if (after.codeApp !== before.codeApp) yield* writeCodeApp(sql, userId, after.codeApp)
    yield* writeCodes(sql, userId, before.recoveryCodes, after.recoveryCodes)
    if (after.removal?.requestedAt !== before.removal?.requestedAt) yield* writeRemoval(sql, userId, after.removal)
  })

const writePasskeys = (
  sql: SqlClient,
  userId: UserId,
  before: ReadonlyArray<Factors.Passkey>,
  after: ReadonlyArray<Factors.Passkey>
) =>
  Effect.gen(function* () {
    for (const { id } of before) {
      if (after.some((one) => one.id === id)) continue
      yield* sql`DELETE FROM passkeys WHERE user_id = ${userId} AND passkey_id = ${id}`
    }
    for (const one of after) {
      const present = before.find(({ id }) => id === one.id)
      if (present === one) continue
      const usedAt = one.usedAt === null ? null : Rows.at(one.usedAt)
      yield* present === undefined
        ? sql`INSERT INTO passkeys (user_id, passkey_id, name, public_key, counter, created_at, used_at)
              VALUES (${userId}, ${one.id}, ${one.name}, ${one.publicKey}, ${one.counter}, ${Rows.at(one.createdAt)},
                      ${usedAt})`
        : sql`UPDATE passkeys SET name = ${one.name}, public_key = ${one.publicKey}, counter = ${one.counter},
                created_at = ${Rows.at(one.createdAt)}, used_at = ${usedAt}
              WHERE user_id = ${userId} AND passkey_id = ${one.id}`
    }
  })

const writeCodeApp = (sql: SqlClient, userId: UserId, codeApp: Factors.CodeApp | null) =>
  Effect.gen(function* () {
    if (codeApp === null) return yield* sql`DELETE FROM code_apps WHERE user_id = ${userId}`
    const confirmedAt = codeApp.confirmedAt === null ? null : Rows.at(codeApp.confirmedAt)
    return yield* sql`INSERT INTO code_apps (user_id, secret, confirmed_at, used_step, wrong_codes)
                      VALUES (${userId}, ${codeApp.secret}, ${confirmedAt}, ${codeApp.usedStep}, ${codeApp.wrongCodes})
                      ON CONFLICT (user_id) DO UPDATE SET secret = EXCLUDED.secret,
                        confirmed_at = EXCLUDED.confirmed_at, used_step = EXCLUDED.used_step,
                        wrong_codes = EXCLUDED.wrong_codes`
  })

const writeCodes = (
  sql: SqlClient,
  userId: UserId,
  before: Factors.Factors["recoveryCodes"],
  after: Factors.Factors["recoveryCodes"]
) =>
  Effect.gen(function* () {
    const gone = before.filter((hash) => !after.includes(hash))
    const fresh = after.filter((hash) => !before.includes(hash))
    if (gone.length > 0) {
      yield* sql`DELETE FROM recovery_codes WHERE user_id = ${userId} AND code_hash = ANY(${gone}::text[])`
    }
    for (const hash of fresh) yield* sql`INSERT INTO recovery_codes (user_id, code_hash) VALUES (${userId}, ${hash})`
  })

const writeRemoval = (sql: SqlClient, userId: UserId, removal: Factors.FactorRemoval | null) =>
  removal === null
    ? sql`DELETE FROM factor_removals WHERE user_id = ${userId}`
    : sql`INSERT INTO factor_removals (user_id, requested_at) VALUES (${userId}, ${Rows.at(removal.requestedAt)})
          ON CONFLICT (user_id) DO UPDATE SET requested_at = EXCLUDED.requested_at`
