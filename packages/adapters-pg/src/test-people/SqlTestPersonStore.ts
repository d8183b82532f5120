import { SqlClient } from "@effect/sql/SqlClient"
import { AccountLimits } from "@place-access/domain/quotas"
import { AppId, UserId } from "@place-access/domain/shared"
import { type TestPerson, TestPersonStore } from "@place-access/domain/test-people"
import { Effect, Layer, Option, Schema } from "effect"
import { AccountRow, COLUMNS, toAccount } from "../accounts/AccountRow.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"

type Store = typeof TestPersonStore.Service

export const layer: Layer.Layer<TestPersonStore, never, SqlClient> = Layer.effect(
  TestPersonStore,
  Effect.map(SqlClient, (sql) =>
    TestPersonStore.of({ create: create(sql), list: list(sql), find: find(sql), listStray: listStray(sql) })
  )
)

/** An account of a test person; for these accounts, `test_app_id` is not null. */
const TestRow = Schema.Struct({ ...AccountRow.fields, test_app_id: AppId })

const toTestAccount = (row: typeof TestRow.Type): TestPerson.TestAccount => ({
  ...toAccount(row),
  testOf: row.test_app_id
})

const CountRow = Schema.Struct({ count: Rows.Bigint })
const FoundRow = Schema.Struct({ one: Schema.Number })

const create =
  (sql: SqlClient): Store["create"] =>
  (account) =>
    Effect.gen(function* () {
      // Because of this lock, two test people of one app are created one after the other. So the second creation
      // counts the first person, and the limit of test people is kept. An approval of the app takes the same lock, so
      // that no test person is made for an app that has just gone to production.
      const app = yield* sql`SELECT 1 AS one FROM apps
        WHERE app_id = ${account.testOf} AND status <> 'production' AND revoked_at IS NULL FOR UPDATE`.pipe(
        Rows.first(FoundRow)
      )
      if (Option.isNone(app)) return "unavailable" as const
      const counted = yield* sql`SELECT count(*) AS count FROM accounts WHERE test_app_id = ${account.testOf}`.pipe(
        Rows.first(CountRow)
      )
      if (Option.exists(counted, ({ count }) => count >= AccountLimits.TEST_PEOPLE.most)) return "full" as const
      yield* sql`INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at, test_app_id)
                 VALUES (${account.id}, ${account.email}, ${account.displayName}, '', '{}',
                         ${Rows.at(account.createdAt)}, ${account.testOf})`
      return "created" as const
    }).pipe(sql.withTransaction, orStoreError)

const list =
  (sql: SqlClient): Store["list"] =>
  (appId) =>
    sql`SELECT ${COLUMNS} FROM accounts WHERE test_app_id = ${appId}
        ORDER BY created_at, user_id COLLATE "C"`.pipe(
      Rows.all(TestRow),
      Effect.map((rows) => rows.map(toTestAccount)),
      orStoreError
    )

const find =
  (sql: SqlClient): Store["find"] =>
  (appId, id) =>
    sql`SELECT ${COLUMNS} FROM accounts WHERE user_id = ${id} AND test_app_id = ${appId}`.pipe(
      Rows.first(TestRow),
      Effect.map(Option.map(toTestAccount)),
      orStoreError
    )

const StrayRow = Schema.Struct({ user_id: UserId })

const listStray =
  (sql: SqlClient): Store["listStray"] =>
  (limit) =>
    sql`SELECT p.user_id FROM accounts p LEFT JOIN apps a ON a.app_id = p.test_app_id
        WHERE p.test_app_id IS NOT NULL
          AND (a.app_id IS NULL OR a.status = 'production' OR a.revoked_at IS NOT NULL)
        ORDER BY p.created_at, p.user_id COLLATE "C" LIMIT ${limit}`.pipe(
      Rows.all(StrayRow),
      Effect.map((rows) => rows.map((row) => row.user_id)),
      orStoreError
    )
