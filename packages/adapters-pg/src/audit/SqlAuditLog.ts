import { SqlClient } from "@effect/sql/SqlClient"
import { AuditEvent, AuditLog } from "@place-access/domain/audit"
import { Page, UserId } from "@place-access/domain/shared"
import { Effect, Layer, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import * as TimePosition from "../driver/TimePosition.js"
import { orStoreError } from "../Failures.js"

type Store = typeof AuditLog.Service

export const layer: Layer.Layer<AuditLog, never, SqlClient> = Layer.effect(
  AuditLog,
  Effect.map(SqlClient, (sql) =>
    AuditLog.of({ append: (event) => Effect.asVoid(orStoreError(append(sql, event))), list: list(sql) })
  )
)

/**
 * The value of `user_id` in events that concern no account. No account has this id. The column is part of the primary
 * key, so it cannot be null.
 */
const NO_ACCOUNT = "-"

/** Stores the event in the caller's transaction. The database makes the id. */
export const append = (sql: SqlClient, event: AuditEvent.AuditEvent) => {
  const { actor, at, detail, userId } = event
  return sql`INSERT INTO audit_events (user_id, at, kind, actor, actor_id, detail, kept_until)
             VALUES (${userId ?? NO_ACCOUNT}, ${Rows.at(at)}, ${detail.kind}, ${actor._tag},
                     ${"id" in actor ? actor.id : null}, ${Rows.json(detail)}::jsonb,
                     ${Rows.at(AuditEvent.keptUntil(event))})`
}

const EventRow = Schema.Struct({
  user_id: UserId,
  event_id: Schema.String,
  at: Rows.At,
  actor: Schema.Literal("Owner", "Staff", "Teammate", "Operator", "Stranger"),
  actor_id: Schema.NullOr(UserId),
  detail: AuditEvent.AuditDetail
})

const COLUMNS = Rows.columns(EventRow)

const toEvent = (row: typeof EventRow.Type): AuditEvent.StoredAuditEvent => ({
  id: row.event_id,
  at: row.at,
  userId: row.user_id === NO_ACCOUNT ? null : row.user_id,
  actor: toActor(row),
  detail: row.detail
})

const toActor = ({ actor, actor_id }: typeof EventRow.Type): AuditEvent.AuditActor =>
  actor !== "Staff" && actor !== "Teammate"
    ? { _tag: actor }
    : actor_id === null
      ? AuditEvent.OPERATOR
      : { _tag: actor, id: actor_id }

/** Reads the audit log, for the list that an admin sees. On a cluster, the statement asks every node. */
const list =
  (sql: SqlClient): Store["list"] =>
  ({ from, kind, to, userId }, limit, after) =>
    Effect.gen(function* () {
      const position = yield* TimePosition.decode(after)
      const only = [
        // Without a `kind`, selects only the kinds that this release knows: a newer release that was rolled back may
        // have left events of other kinds (decision audit-4).
        kind === undefined ? sql`kind = ANY(${AuditEvent.KINDS}::text[])` : sql`kind = ${kind}`,
        ...(userId === undefined ? [] : [sql`(user_id = ${userId} OR actor_id = ${userId})`]),
        ...(from === undefined ? [] : [sql`at >= ${Rows.at(from)}`]),
        ...(to === undefined ? [] : [sql`at < ${Rows.at(to)}`]),
        ...(position === undefined ? [] : [sql`(at, event_id COLLATE "C") < (${Rows.at(position[0])}, ${position[1]})`])
      ]
      const rows = yield* sql`SELECT ${COLUMNS} FROM audit_events WHERE ${sql.and(only)}
                              ORDER BY at DESC, event_id COLLATE "C" DESC LIMIT ${limit + 1}`.pipe(Rows.all(EventRow))
      return Page.of(rows.map(toEvent), limit, (last) => [last.at, last.id])
    }).pipe(orStoreError)
