import { SqlClient } from "@effect/sql/SqlClient"
import { Connection } from "@place-access/domain/connection"
import { type Leaked, ReviewDecision, ReviewStore, type Waiting } from "@place-access/domain/reviews"
import { AppId, ConnectionId, Page, ReviewDecisionId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer, Schema } from "effect"
import { AppRow, toApp } from "./AppRow.js"
import { orStoreError } from "./Failures.js"
import { PurposeRow, toPurpose } from "./PurposeRow.js"
import * as Rows from "./Rows.js"

const DecisionRow = Schema.Struct({
  app_id: AppId,
  decided_at: Rows.At,
  decision_id: ReviewDecisionId,
  subject: ReviewDecision.Subject,
  kind: ReviewDecision.Kind,
  note: Schema.NullOr(Schema.String),
  decided_by: UserId
})

const toDecision = (row: typeof DecisionRow.Type): ReviewDecision.ReviewDecision => ({
  id: row.decision_id,
  appId: row.app_id,
  subject: row.subject,
  kind: row.kind,
  note: row.note,
  by: row.decided_by,
  at: row.decided_at
})

const LeakRow = Schema.Struct({
  connection_id: ConnectionId,
  app_id: AppId,
  flagged_at: Rows.At,
  end_reason: Schema.NullOr(Connection.EndReason)
})

const toLeak = (row: typeof LeakRow.Type): Leaked => ({
  connectionId: row.connection_id,
  appId: row.app_id,
  flaggedAt: row.flagged_at,
  endReason: row.end_reason
})

/** Where a page goes on: time and id of its last row. */
const Position = Schema.Tuple(Timestamp.Timestamp, Schema.String)

const position = (after: ReadonlyArray<string | number> | undefined) =>
  after === undefined ? Effect.void : Schema.decodeUnknown(Position)(after)

export const layer: Layer.Layer<ReviewStore, never, SqlClient> = Layer.effect(
  ReviewStore,
  Effect.map(SqlClient, (sql) => {
    const columns = (alias: string, row: { readonly fields: object }) =>
      sql.literal(
        Object.keys(row.fields)
          .map((name) => `${alias}.${name}`)
          .join(", ")
      )
    const appColumns = columns("a", AppRow)
    const purposeColumns = columns("p", PurposeRow)
    const decisionColumns = columns("d", DecisionRow)

    return ReviewStore.of({
      // Two reads and a merge: whatever is decided between them is on the page or is not, and both are true.
      queue: (limit, after) =>
        Effect.gen(function* () {
          const from = yield* position(after)
          const goOn = (alias: string, id: string) =>
            from === undefined
              ? sql``
              : sql`AND (${sql.literal(`${alias}.submitted_at, ${alias}.${id} COLLATE "C"`)})
                      > (${Rows.at(from[0])}, ${from[1]})`
          const apps = yield* sql`SELECT ${appColumns} FROM apps a
            WHERE a.submitted_at IS NOT NULL AND a.revoked_at IS NULL ${goOn("a", "app_id")}
            ORDER BY a.submitted_at, a.app_id COLLATE "C" LIMIT ${limit + 1}`.pipe(Rows.all(AppRow))
          const purposes = yield* sql`SELECT ${purposeColumns} FROM purposes p JOIN apps a ON a.app_id = p.app_id
            WHERE p.submitted_at IS NOT NULL AND p.archived_at IS NULL AND a.revoked_at IS NULL ${goOn("p", "purpose_id")}
            ORDER BY p.submitted_at, p.purpose_id COLLATE "C" LIMIT ${limit + 1}`.pipe(Rows.all(PurposeRow))
          const theirs = yield* sql`SELECT ${appColumns} FROM apps a
            WHERE a.app_id = ANY(${[...new Set(purposes.map((row) => row.app_id))]}::text[])`.pipe(Rows.all(AppRow))
          const byId = new Map(theirs.map((row) => [row.app_id, toApp(row)]))

          const waiting: Array<Waiting> = []
          for (const app of apps.map(toApp)) {
            if (app.submission !== null) waiting.push({ submission: app.submission, app, purpose: null })
          }
          for (const purpose of purposes.map(toPurpose)) {
            const app = byId.get(purpose.appId)
            if (app !== undefined && purpose.submission !== null) {
              waiting.push({ submission: purpose.submission, app, purpose })
            }
          }
          const rows = waiting
            .map((one) => ({ one, id: (one.purpose ?? one.app).id }))
            .sort((a, b) => a.one.submission.at - b.one.submission.at || (a.id < b.id ? -1 : 1))
          const { items, next } = Page.of(rows, limit, ({ id, one }) => [one.submission.at, id])
          return { items: items.map(({ one }) => one), next }
        }).pipe(orStoreError),

      decisions: (appId, limit, after) =>
        Effect.gen(function* () {
          const from = yield* position(after)
          const goOn =
            from === undefined ? sql`` : sql`AND (d.decided_at, d.decision_id) < (${Rows.at(from[0])}, ${from[1]})`
          const rows = yield* sql`SELECT ${decisionColumns} FROM review_decisions d WHERE d.app_id = ${appId} ${goOn}
            ORDER BY d.decided_at DESC, d.decision_id DESC LIMIT ${limit + 1}`.pipe(Rows.all(DecisionRow))
          return Page.of(rows.map(toDecision), limit, (last) => [last.at, last.id])
        }).pipe(orStoreError),

      leaks: (limit, after) =>
        Effect.gen(function* () {
          const from = yield* position(after)
          const goOn =
            from === undefined
              ? sql``
              : sql`AND (c.flagged_at, c.connection_id COLLATE "C") < (${Rows.at(from[0])}, ${from[1]})`
          const rows = yield* sql`SELECT ${columns("c", LeakRow)} FROM connections c
            WHERE c.flagged_at IS NOT NULL ${goOn}
            ORDER BY c.flagged_at DESC, c.connection_id COLLATE "C" DESC LIMIT ${limit + 1}`.pipe(Rows.all(LeakRow))
          return Page.of(rows.map(toLeak), limit, (last) => [last.flaggedAt, last.connectionId])
        }).pipe(orStoreError)
    })
  })
)
