import { SqlClient } from "@effect/sql/SqlClient"
import { Connection } from "@place-access/domain/connection"
import { ReviewDecision } from "@place-access/domain/reviews"
import { AppId, ConnectionId, Page, ReviewDecisionId, UserId } from "@place-access/domain/shared"
import { type AnyReviewDecision, type Leaked, ReviewStore, ReviewSubject } from "@place-access/domain/staff"
import { Effect, Layer, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import * as TimePosition from "../driver/TimePosition.js"
import { queue } from "./ReviewQueue.js"

type Store = typeof ReviewStore.Service

export const layer: Layer.Layer<ReviewStore, never, SqlClient> = Layer.effect(
  ReviewStore,
  Effect.map(SqlClient, (sql) =>
    ReviewStore.of({
      queue: queue(sql),
      decisions: decisions(sql),
      leaks: leaks(sql)
    })
  )
)

const DecisionRow = Schema.Struct({
  app_id: AppId,
  decided_at: Rows.At,
  decision_id: ReviewDecisionId,
  subject: ReviewSubject,
  kind: ReviewDecision.ReviewKind,
  note: Schema.NullOr(Schema.String),
  decided_by: UserId
})

const DECISION_COLUMNS = Rows.columns(DecisionRow)

const toDecision = (row: typeof DecisionRow.Type): AnyReviewDecision => ({
  id: row.decision_id,
  appId: row.app_id,
  subject: row.subject,
  kind: row.kind,
  note: row.note,
  by: row.decided_by,
  at: row.decided_at
})

const decisions =
  (sql: SqlClient): Store["decisions"] =>
  (appId, limit, after) =>
    Effect.gen(function* () {
      const from = yield* TimePosition.decode(after)
      const rest = from === undefined ? sql`` : sql`AND (decided_at, decision_id) < (${Rows.at(from[0])}, ${from[1]})`
      const rows = yield* sql`SELECT ${DECISION_COLUMNS} FROM review_decisions WHERE app_id = ${appId} ${rest}
                              ORDER BY decided_at DESC, decision_id DESC LIMIT ${limit + 1}`.pipe(Rows.all(DecisionRow))
      return Page.of(rows.map(toDecision), limit, (last) => [last.at, last.id])
    }).pipe(orStoreError)

const LeakRow = Schema.Struct({
  connection_id: ConnectionId,
  app_id: AppId,
  flagged_at: Rows.At,
  end_reason: Schema.NullOr(Connection.EndReason)
})

const LEAK_COLUMNS = Rows.columns(LeakRow)

const toLeak = (row: typeof LeakRow.Type): Leaked => ({
  connectionId: row.connection_id,
  appId: row.app_id,
  flaggedAt: row.flagged_at,
  endReason: row.end_reason
})

/** Selects one more leak than `limit`, so that the caller knows whether there is another page. */
export const leaksPage = (sql: SqlClient, limit: number, from: TimePosition.TimePosition | undefined) => {
  const rest =
    from === undefined ? sql`` : sql`AND (flagged_at, connection_id COLLATE "C") < (${Rows.at(from[0])}, ${from[1]})`
  return sql`SELECT ${LEAK_COLUMNS} FROM connections WHERE flagged_at IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM accounts t
                 WHERE t.user_id = connections.user_id AND t.test_app_id IS NOT NULL) ${rest}
             ORDER BY flagged_at DESC, connection_id COLLATE "C" DESC LIMIT ${limit + 1}`
}

const leaks =
  (sql: SqlClient): Store["leaks"] =>
  (limit, after) =>
    Effect.gen(function* () {
      const rows = yield* leaksPage(sql, limit, yield* TimePosition.decode(after)).pipe(Rows.all(LeakRow))
      return Page.of(rows.map(toLeak), limit, (last) => [last.flaggedAt, last.connectionId])
    }).pipe(orStoreError)
