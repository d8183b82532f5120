import { Account } from "@place-access/domain/accounts"
import { AppId, Language, UserId } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

export const AccountRow = Schema.Struct({
  user_id: UserId,
  email: Schema.typeSchema(Account.Email),
  display_name: Schema.typeSchema(Account.DisplayName),
  roles: Schema.Array(Account.Role),
  created_at: Rows.At,
  suspended_at: Rows.NullableAt,
  confirmed_at: Rows.NullableAt,
  time_zone: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Language.Language),
  browser_language: Schema.NullOr(Language.Language),
  test_app_id: Schema.NullOr(AppId)
})

export const toAccount = (row: typeof AccountRow.Type): Account.Account => ({
  id: row.user_id,
  email: row.email,
  displayName: row.display_name,
  roles: row.roles,
  createdAt: row.created_at,
  suspendedAt: row.suspended_at,
  confirmedAt: row.confirmed_at,
  timeZone: row.time_zone,
  language: row.language,
  browserLanguage: row.browser_language,
  testOf: row.test_app_id
})

/**
 * The columns of an `AccountRow`: `COLUMNS` for a statement on `accounts` alone, `COLUMNS_OF_A` for a join with
 * `accounts a`.
 */
export const COLUMNS = Rows.columns(AccountRow)
export const COLUMNS_OF_A = Rows.columns(AccountRow, "a")
