import type { SqlClient } from "@effect/sql/SqlClient"
import type { ReviewStore, WaitingSubmission } from "@place-access/domain/staff"
import { type AppId, Page } from "@place-access/domain/shared"
import { Effect } from "effect"
import { AppRow, toApp } from "../apps/AppRow.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import { PurposeRow, toPurpose } from "../purposes/PurposeRow.js"
import * as TimePosition from "../driver/TimePosition.js"

type Store = typeof ReviewStore.Service

/**
 * Reads the waiting apps and the waiting purposes, without a transaction, and merges them. A submission that is decided
 * between the two reads may be in the result or not: both results are correct.
 */
export const queue =
  (sql: SqlClient): Store["queue"] =>
  (limit, after) =>
    Effect.gen(function* () {
      const from = yield* TimePosition.decode(after)
      const apps = yield* waitingApps(sql, from, limit + 1)
      const purposes = yield* waitingPurposes(sql, from, limit + 1)
      const theirs = yield* appsById(sql, [...new Set(purposes.map((row) => row.app_id))])
      const rows = merge(apps, purposes, theirs)
      const { items, next } = Page.of(rows, limit, ({ id, one }) => [one.submission.at, id])
      return { items: items.map(({ one }) => one), next }
    }).pipe(orStoreError)

const APP_COLUMNS = Rows.columns(AppRow, "a")
const PURPOSE_COLUMNS = Rows.columns(PurposeRow, "p")

const waitingApps = (sql: SqlClient, from: TimePosition.TimePosition | undefined, limit: number) =>
  sql`SELECT ${APP_COLUMNS} FROM apps a
      WHERE a.submitted_at IS NOT NULL AND a.revoked_at IS NULL ${isAfter(sql, "a.submitted_at, a.app_id", from)}
      ORDER BY a.submitted_at, a.app_id COLLATE "C" LIMIT ${limit}`.pipe(Rows.all(AppRow))

const waitingPurposes = (sql: SqlClient, from: TimePosition.TimePosition | undefined, limit: number) =>
  sql`SELECT ${PURPOSE_COLUMNS} FROM purposes p JOIN apps a ON a.app_id = p.app_id
      WHERE p.submitted_at IS NOT NULL AND p.archived_at IS NULL AND a.revoked_at IS NULL
        ${isAfter(sql, "p.submitted_at, p.purpose_id", from)}
      ORDER BY p.submitted_at, p.purpose_id COLLATE "C" LIMIT ${limit}`.pipe(Rows.all(PurposeRow))

const isAfter = (sql: SqlClient, columns: string, from: TimePosition.TimePosition | undefined) =>
  from === undefined ? sql`` : sql`AND (${sql.literal(columns)} COLLATE "C") > (${Rows.at(from[0])}, ${from[1]})`

const appsById = (sql: SqlClient, ids: ReadonlyArray<AppId>) =>
  sql`SELECT ${APP_COLUMNS} FROM apps a WHERE a.app_id = ANY(${ids}::text[])`.pipe(
    Rows.all(AppRow),
    Effect.map((rows) => new Map(rows.map((row) => [row.app_id, toApp(row)])))
  )

type AppsById = Effect.Effect.Success<ReturnType<typeof appsById>>

/** Merges both kinds of submissions, the oldest first. `theirs` has the apps of the purposes. */
const merge = (
  apps: ReadonlyArray<AppRow>,
  purposes: ReadonlyArray<typeof PurposeRow.Type>,
  theirs: AppsById
): ReadonlyArray<{ readonly one: WaitingSubmission; readonly id: string }> => {
  const waiting: Array<WaitingSubmission> = []
  for (const app of apps.map(toApp)) {
    if (app.submission !== null) waiting.push({ submission: app.submission, app, purpose: null })
  }
  for (const purpose of purposes.map(toPurpose)) {
    const app = theirs.get(purpose.appId)
    if (app !== undefined && purpose.submission !== null) {
      waiting.push({ submission: purpose.submission, app, purpose })
    }
  }
  return waiting
    .map((one) => ({ one, id: (one.purpose ?? one.app).id }))
    .sort((a, b) => a.one.submission.at - b.one.submission.at || (a.id < b.id ? -1 : 1))
}
