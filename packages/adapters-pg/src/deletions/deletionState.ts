import type { SqlClient } from "@effect/sql/SqlClient"
import { Account } from "@place-access/domain/accounts"
import { App } from "@place-access/domain/apps"
import type { AccountDeletion } from "@place-access/domain/deletions"
import { AppId, MemberId, UserId } from "@place-access/domain/shared"
import { Role, TeamLife } from "@place-access/domain/teams"
import { Effect, Schema } from "effect"
import { hasAnotherOfStaff } from "../accounts/anotherOfStaff.js"
import { AppRow, COLUMNS, toApp } from "../apps/AppRow.js"
import * as Rows from "../driver/Rows.js"

/**
 * Reads the state that the decision about a deletion needs: the account, whether it is the last admin, and its apps.
 */
export const deletionState = (sql: SqlClient, account: Account.Account) =>
  Effect.gen(function* () {
    const owned = yield* sql`SELECT ${COLUMNS} FROM apps WHERE owner_id = ${account.id}
                             ORDER BY created_at, app_id`.pipe(Rows.all(AppRow))
    const heirs = yield* findHeirs(sql, owned)
    const state: AccountDeletion.AccountDeletionState = {
      account,
      isLastAdmin: Account.hasRole(account, "admin") && !(yield* hasAnotherOfStaff(sql, [account.id], ["admin"])),
      apps: owned.map((row) => ({ app: toApp(row), heir: heirs(row.app_id) }))
    }
    return state
  })

/**
 * Reads what deleting the account would do: the state on which the decision is made, and for each app how many people
 * have connected it.
 */
export const deletionOutlook = (sql: SqlClient, account: Account.Account) =>
  Effect.gen(function* () {
    const state = yield* deletionState(sql, account)
    const counted = yield* countPeople(
      sql,
      account,
      state.apps.map(({ app }) => app.id)
    )
    const people = new Map(counted.map((row) => [row.app_id, row.people]))
    const apps = state.apps.map((owned) => ({ ...owned, people: people.get(owned.app.id) ?? 0 }))
    return { ...state, apps } satisfies AccountDeletion.Outlook
  })

const PeopleRow = Schema.Struct({ app_id: AppId, people: Rows.Bigint })

/**
 * Counts, for each app, the people with a connection that has not ended. The account itself and test people do not
 * count. The count is a separate statement, because on a cluster every node has a copy of `apps`, and Citus refuses a
 * statement that reads such a table with a sub-query on the distributed table `connections`.
 */
const countPeople = (sql: SqlClient, account: Account.Account, apps: ReadonlyArray<AppId>) =>
  sql`SELECT app_id, count(*) AS people FROM connections
      WHERE app_id = ANY(${apps}::text[]) AND ended_at IS NULL
        AND user_id <> ${account.id}
        AND NOT EXISTS (SELECT 1 FROM accounts t WHERE t.user_id = connections.user_id AND t.test_app_id IS NOT NULL)
      GROUP BY app_id`.pipe(Rows.all(PeopleRow))

const OwnerRow = Schema.Struct({
  app_id: AppId,
  member_id: MemberId,
  user_id: UserId,
  role: Role.TeamRole,
  since: Rows.At,
  is_suspended: Schema.Boolean
})

/**
 * Returns a function from the id of an app to its next owner; null when no member of the team can own the app, when the
 * app was revoked, or when its holder is suspended.
 */
const findHeirs = (sql: SqlClient, apps: ReadonlyArray<AppRow>) =>
  Effect.gen(function* () {
    const rows = yield* sql`SELECT m.app_id, m.member_id, m.user_id, m.role, m.since,
          a.suspended_at IS NOT NULL AS is_suspended
        FROM app_members m JOIN accounts a ON a.user_id = m.user_id
        WHERE m.app_id = ANY(${apps.map((row) => row.app_id)}::text[])
        ORDER BY m.since, m.member_id`.pipe(Rows.all(OwnerRow))
    const suspended = new Set(rows.flatMap((row) => (row.is_suspended ? [row.user_id] : [])))
    return (id: AppId): UserId | null => {
      const app = apps.find((row) => row.app_id === id)
      const members = rows
        .filter((row) => row.app_id === id)
        .map(({ member_id: id, role, since, user_id: userId }) => ({ id, userId, role, since }))
      const isClosed = app === undefined || App.isGone(toApp(app))
      return TeamLife.heir({ isClosed, members }, (userId) => suspended.has(userId))?.userId ?? null
    }
  })
