import { SqlClient } from "@effect/sql/SqlClient"
import { App } from "@place-access/domain/apps"
import { AccountDeletion } from "@place-access/domain/deletions"
import { SERVICE_COUNTED_MAX, ServiceStore } from "@place-access/domain/staff"
import { Effect, Layer, Schema } from "effect"
import * as Backlog from "../deliveries/Backlog.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"

const AccountsRow = Schema.Struct({ accounts: Rows.Bigint, made: Rows.Bigint, suspended: Rows.Bigint })
const AppsRow = Schema.Struct({ status: App.AppStatus, count: Rows.Bigint })
const WorkersRow = Schema.Struct({ count: Rows.Bigint })

export const layer: Layer.Layer<ServiceStore, never, SqlClient> = Layer.effect(
  ServiceStore,
  Effect.map(SqlClient, (sql) =>
    ServiceStore.of({
      counts: (now, since) =>
        Effect.gen(function* () {
          const [people] = yield* sql`
            SELECT count(*) AS accounts, count(*) FILTER (WHERE created_at >= ${Rows.at(since)}) AS made,
                   count(*) FILTER (WHERE suspended_at IS NOT NULL) AS suspended
            FROM (SELECT created_at, suspended_at FROM accounts
                  WHERE user_id <> ${AccountDeletion.NOBODY.id} AND test_app_id IS NULL
                  ORDER BY created_at DESC LIMIT ${SERVICE_COUNTED_MAX}) AS newest`.pipe(Rows.all(AccountsRow))
          const apps = yield* sql`
            SELECT status, count(*) AS count
            FROM (SELECT status FROM apps WHERE revoked_at IS NULL LIMIT ${SERVICE_COUNTED_MAX}) AS live
            GROUP BY status`.pipe(Rows.all(AppsRow))
          const workers = yield* sql`SELECT count(*) AS count FROM workers WHERE alive_until > ${Rows.at(now)}`.pipe(
            Rows.all(WorkersRow)
          )
          const of = (status: App.AppStatus) => apps.find((row) => row.status === status)?.count ?? 0
          return {
            accounts: people?.accounts ?? 0,
            newAccounts: people?.made ?? 0,
            suspendedAccounts: people?.suspended ?? 0,
            apps: { sandbox: of("sandbox"), in_review: of("in_review"), production: of("production") },
            backlog: yield* Backlog.read(sql, now),
            workers: workers[0]?.count ?? 0
          }
        }).pipe(orStoreError)
    })
  )
)
