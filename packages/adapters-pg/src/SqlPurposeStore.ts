import { SqlClient } from "@effect/sql/SqlClient"
import { Purpose, PurposeStore } from "@place-access/domain/purposes"
import { Conflict, type PurposeId, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { orStoreError } from "./Failures.js"
import { PurposeRow, statusColumn, toPurpose } from "./PurposeRow.js"
import * as ReviewWrites from "./ReviewWrites.js"
import * as Rows from "./Rows.js"
import { columnsOf } from "./SubmissionRow.js"

const KeyRow = Schema.Struct({ key: Schema.String })

export const layer: Layer.Layer<PurposeStore, never, SqlClient> = Layer.effect(
  PurposeStore,
  Effect.map(SqlClient, (sql) => {
    const columns = sql.literal(Object.keys(PurposeRow.fields).join(", "))

    const approvedTerms = ({ approved }: Purpose.Purpose) => (approved === null ? null : Rows.json(approved))

    const insert = (purpose: Purpose.Purpose) => {
      const { revision, submittedAt, submittedRevision } = columnsOf(purpose)
      return sql`INSERT INTO purposes (app_id, purpose_id, key, status, terms, approved_terms, review_note, revision,
                                       submitted_at, submitted_revision, created_at, archived_at)
          VALUES (${purpose.appId}, ${purpose.id}, ${purpose.key}, coalesce(${statusColumn(purpose)}::text, 'draft'), ${Rows.json(purpose.terms)}::jsonb,
                  ${approvedTerms(purpose)}::jsonb, ${purpose.reviewNote}, ${revision}, ${submittedAt},
                  ${submittedRevision}, ${Rows.at(purpose.createdAt)}, ${Rows.nullableAt(purpose.archivedAt)})`
    }

    const select = (id: PurposeId, lock = sql``) =>
      sql`SELECT ${columns} FROM purposes WHERE purpose_id = ${id} ${lock}`.pipe(
        Rows.first(PurposeRow),
        Effect.map(Option.map(toPurpose))
      )

    const write = (id: PurposeId, after: Purpose.Purpose) => {
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

    return PurposeStore.of({
      create: (purpose) =>
        Effect.gen(function* () {
          yield* sql`SELECT 1 FROM apps WHERE app_id = ${purpose.appId} FOR UPDATE`
          const present = yield* sql`SELECT key FROM purposes WHERE app_id = ${purpose.appId}`.pipe(Rows.all(KeyRow))
          const refusal = Purpose.refusal(
            present.map(({ key }) => key),
            purpose.key
          )
          if (refusal === undefined) yield* insert(purpose)
          return refusal
        }).pipe(
          sql.withTransaction,
          orStoreError,
          Effect.flatMap((refusal) => (refusal === undefined ? Effect.void : new Conflict({ reason: refusal })))
        ),

      list: (appId) =>
        sql`SELECT ${columns} FROM purposes WHERE app_id = ${appId} ORDER BY key COLLATE "C"`.pipe(
          Rows.all(PurposeRow),
          Effect.map((rows) => rows.map(toPurpose)),
          orStoreError
        ),

      find: (id) => select(id).pipe(orStoreError),

      update: (id, decide) =>
        Effect.gen(function* () {
          const before = yield* select(id, sql`FOR UPDATE`)
          if (Option.isNone(before)) return Option.none()
          const { after, outcome, recorded } = decide(before.value, yield* Timestamp.now)
          if (after !== null) yield* write(id, after)
          yield* ReviewWrites.record(sql, recorded)
          return Option.some(outcome)
        }).pipe(sql.withTransaction, orStoreError)
    })
  })
)
