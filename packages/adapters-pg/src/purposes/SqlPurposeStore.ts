import { SqlClient } from "@effect/sql/SqlClient"
import { Purpose, PurposeStore } from "@place-access/domain/purposes"
import { type AppId, Conflict, PurposeId, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import * as ReviewWrites from "../reviews/ReviewWrites.js"
import { columnsOf } from "../reviews/SubmissionRow.js"
import { COLUMNS, PurposeRow, statusColumn, toPurpose } from "./PurposeRow.js"

type Store = typeof PurposeStore.Service

export const layer: Layer.Layer<PurposeStore, never, SqlClient> = Layer.effect(
  PurposeStore,
  Effect.map(SqlClient, (sql) =>
    PurposeStore.of({
      create: create(sql),
      list: list(sql),
      approvals: approvals(sql),
      find: (id) => select(sql, id).pipe(orStoreError),
      update: update(sql)
    })
  )
)

const create =
  (sql: SqlClient): Store["create"] =>
  (purpose) =>
    Effect.gen(function* () {
      // Because of this lock, two purposes of one app are created one after the other, so that the second creation sees
      // the first purpose and refuses a purpose with the same key.
      yield* sql`SELECT 1 FROM apps WHERE app_id = ${purpose.appId} FOR UPDATE`
      const refusal = Purpose.refusal(yield* keysOf(sql, purpose.appId), purpose.key)
      if (refusal === undefined) yield* insert(sql, purpose)
      return refusal
    }).pipe(
      sql.withTransaction,
      orStoreError,
      Effect.flatMap((refusal) => (refusal === undefined ? Effect.void : new Conflict({ reason: refusal })))
    )

const KeyRow = Schema.Struct({ key: Schema.String })

const keysOf = (sql: SqlClient, appId: AppId) =>
  sql`SELECT key FROM purposes WHERE app_id = ${appId}`.pipe(
    Rows.all(KeyRow),
    Effect.map((rows) => rows.map(({ key }) => key))
  )

const approvedTerms = ({ approved }: Purpose.Purpose) => (approved === null ? null : Rows.json(approved))

const insert = (sql: SqlClient, purpose: Purpose.Purpose) => {
  const { revision, submittedAt, submittedRevision } = columnsOf(purpose)
  return sql`INSERT INTO purposes (app_id, purpose_id, key, status, terms, approved_terms, review_note, revision,
                                   submitted_at, submitted_revision, created_at, archived_at)
      VALUES (${purpose.appId}, ${purpose.id}, ${purpose.key}, coalesce(${statusColumn(purpose)}::text, 'draft'),
              ${Rows.json(purpose.terms)}::jsonb, ${approvedTerms(purpose)}::jsonb, ${purpose.reviewNote}, ${revision},
              ${submittedAt}, ${submittedRevision}, ${Rows.at(purpose.createdAt)},
              ${Rows.nullableAt(purpose.archivedAt)})`
}

const list =
  (sql: SqlClient): Store["list"] =>
  (appId) =>
    sql`SELECT ${COLUMNS} FROM purposes WHERE app_id = ${appId} ORDER BY key COLLATE "C"`.pipe(
      Rows.all(PurposeRow),
      Effect.map((rows) => rows.map(toPurpose)),
      orStoreError
    )

const ApprovalRow = Schema.Struct({ subject_id: PurposeId, decided_at: Rows.At, description: Schema.String })

const approvals =
  (sql: SqlClient): Store["approvals"] =>
  (appId) =>
    sql`SELECT subject_id, decided_at, subject -> 'terms' ->> 'description' AS description FROM review_decisions
        WHERE app_id = ${appId} AND subject_kind = 'purpose' AND kind = 'approved'
        ORDER BY decided_at, decision_id`.pipe(
      Rows.all(ApprovalRow),
      Effect.map((rows) =>
        rows.map((row) => ({ purposeId: row.subject_id, at: row.decided_at, description: row.description }))
      ),
      orStoreError
    )

const select = (sql: SqlClient, id: PurposeId, lock = sql``) =>
  sql`SELECT ${COLUMNS} FROM purposes WHERE purpose_id = ${id} ${lock}`.pipe(
    Rows.first(PurposeRow),
    Effect.map(Option.map(toPurpose))
  )

const update =
  (sql: SqlClient): Store["update"] =>
  (id, decide) =>
    Effect.gen(function* () {
      // Locks the app before the purpose, as `create` does. On a cluster each lock takes the whole table, so with the
      // opposite order this transaction and `create` could deadlock.
      yield* sql`SELECT 1 FROM apps WHERE app_id = (SELECT app_id FROM purposes WHERE purpose_id = ${id}) FOR UPDATE`
      const before = yield* select(sql, id, sql`FOR UPDATE`)
      if (Option.isNone(before)) return Option.none()
      const { after, outcome, recorded } = decide(before.value, yield* Timestamp.now)
      if (after !== null) yield* write(sql, id, after)
      yield* ReviewWrites.record(sql, recorded)
      return Option.some(outcome)
    }).pipe(sql.withTransaction, orStoreError)

const write = (sql: SqlClient, id: PurposeId, after: Purpose.Purpose) => {
  const { revision, submittedAt, submittedRevision } = columnsOf(after)
  return sql`UPDATE purposes SET
        status = coalesce(${statusColumn(after)}::text, status),
        terms = ${Rows.json(after.terms)}::jsonb,
        approved_terms = ${approvedTerms(after)}::jsonb,
        review_note = ${after.reviewNote},
        revision = ${revision},
        submitted_at = ${submittedAt},
        submitted_revision = ${submittedRevision},
        archived_at = ${Rows.nullableAt(after.archivedAt)}
      WHERE purpose_id = ${id}`
}
