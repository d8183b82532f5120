import type { SqlClient } from "@effect/sql/SqlClient"
import { Account } from "@place-access/domain/accounts"
import type { UserId } from "@place-access/domain/shared"
import { Effect } from "effect"

/**
 * Whether any person's account, except the given accounts, has one of the roles and is not suspended. The first
 * condition of the statement repeats the condition of the index `accounts_staff`: without it, PostgreSQL would read all
 * accounts.
 */
export const hasAnotherOfStaff = (
  sql: SqlClient,
  ids: ReadonlyArray<UserId>,
  roles: ReadonlyArray<Account.StaffRole>
) =>
  Effect.map(
    sql`SELECT 1 FROM accounts
        WHERE roles && '{reviewer,admin}' AND roles && ${roles}::text[] AND user_id <> ALL (${[...ids, Account.NOBODY_ID]}::text[])
          AND suspended_at IS NULL AND test_app_id IS NULL LIMIT 1`,
    (rows) => rows.length > 0
  )
