import type { SqlClient } from "@effect/sql/SqlClient"
import { Factors } from "@place-access/domain/factors"
import { type UserId, Vault } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"

const PasskeyRow = Schema.Struct({
  passkey_id: Factors.PasskeyId,
  name: Schema.typeSchema(Factors.PasskeyName),
  public_key: Schema.String,
  counter: Rows.Bigint,
  created_at: Rows.At,
  used_at: Rows.NullableAt
})

const toPasskey = (row: typeof PasskeyRow.Type): Factors.Passkey => ({
  id: row.passkey_id,
  name: row.name,
  publicKey: row.public_key,
  counter: row.counter,
  createdAt: row.created_at,
  usedAt: row.used_at
})

const CodeAppRow = Schema.Struct({
  secret: Vault.Sealed,
  confirmed_at: Rows.NullableAt,
  used_step: Rows.Bigint,
  wrong_codes: Rows.Bigint
})

const toCodeApp = (row: typeof CodeAppRow.Type): Factors.CodeApp => ({
  secret: row.secret,
  confirmedAt: row.confirmed_at,
  usedStep: row.used_step,
  wrongCodes: row.wrong_codes
})

/** Reads the second factors of one account and, if there is one, the request to remove all of them. */
export const readFactors = (sql: SqlClient, userId: UserId) =>
  Effect.gen(function* () {
    const passkeys = yield* sql`SELECT ${Rows.columns(PasskeyRow)} FROM passkeys WHERE user_id = ${userId}
                                ORDER BY created_at, passkey_id COLLATE "C"`.pipe(Rows.all(PasskeyRow))
    const codeApp = yield* sql`SELECT ${Rows.columns(CodeAppRow)} FROM code_apps WHERE user_id = ${userId}`.pipe(
      Rows.first(CodeAppRow)
    )
    const codes = yield* sql`SELECT code_hash FROM recovery_codes WHERE user_id = ${userId}
                             ORDER BY code_hash COLLATE "C"`.pipe(Rows.all(Schema.Struct({ code_hash: Vault.Hash })))
    const removal = yield* sql`SELECT requested_at FROM factor_removals WHERE user_id = ${userId}`.pipe(
      Rows.first(Schema.Struct({ requested_at: Rows.At }))
    )
    const factors: Factors.Factors = {
      passkeys: passkeys.map(toPasskey),
      codeApp: Option.getOrNull(Option.map(codeApp, toCodeApp)),
      recoveryCodes: codes.map(({ code_hash: hash }) => hash),
      removal: Option.getOrNull(Option.map(removal, ({ requested_at: requestedAt }) => ({ requestedAt })))
    }
    return factors
  })
