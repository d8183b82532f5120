import type { SqlClient } from "@effect/sql/SqlClient"
import { ConsentEntry, type Connection } from "@place-access/domain/connection"
import { type ConnectionId, PlaceId, Scope, type UserId } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { toPause } from "../steering/PauseColumns.js"

const HistoryRow = Schema.Struct({
  at: Rows.At,
  change: ConsentEntry.ConsentChange,
  scopes: Schema.Array(Scope.Scope),
  place_ids: Schema.Array(PlaceId),
  earlier_visits_place_ids: Schema.NullOr(Schema.Array(PlaceId)),
  standard_expires_at: Rows.NullableAt,
  sensitive_expires_at: Rows.NullableAt,
  paused_at: Rows.NullableAt,
  paused_until: Rows.NullableAt
})

const toEntry = (row: typeof HistoryRow.Type): ConsentEntry.ConsentEntry => ({
  at: row.at,
  change: row.change,
  agreement: {
    scopes: row.scopes,
    places: row.place_ids,
    earlierVisits: row.earlier_visits_place_ids,
    standardExpiresAt: row.standard_expires_at,
    sensitiveExpiresAt: row.sensitive_expires_at,
    pause: toPause(row)
  }
})

/** Implements `ConnectionStore.history`: the newest `limit` entries, newest first. */
export const readHistory = (sql: SqlClient, userId: UserId, id: ConnectionId, limit: number) =>
  sql`SELECT at, change, scopes, place_ids, earlier_visits_place_ids, standard_expires_at, sensitive_expires_at,
             paused_at, paused_until
      FROM consent_history WHERE user_id = ${userId} AND connection_id = ${id}
      ORDER BY entry DESC LIMIT ${limit}`.pipe(
    Rows.all(HistoryRow),
    Effect.map((rows) => rows.map(toEntry))
  )

/**
 * Adds an entry. The caller holds the lock of the connection's row, so no other transaction can give the same number to
 * another entry.
 */
export const insertEntry = (
  sql: SqlClient,
  { id, userId }: Pick<Connection.Connection, "userId" | "id">,
  { agreement, at, change }: ConsentEntry.ConsentEntry
) =>
  // Citus runs the whole statement on one shard only when it selects from the connection's row and has no VALUES.
  sql`INSERT INTO consent_history (user_id, connection_id, entry, at, change, scopes, place_ids,
        earlier_visits_place_ids, standard_expires_at, sensitive_expires_at, paused_at, paused_until)
      SELECT c.user_id, c.connection_id,
             coalesce((SELECT max(h.entry) + 1 FROM consent_history h
                       WHERE h.user_id = ${userId} AND h.connection_id = ${id}), 1),
             ${Rows.at(at)}::timestamptz, ${change}, ${agreement.scopes}::text[], ${agreement.places}::text[],
             ${agreement.earlierVisits}::text[],
             ${Rows.nullableAt(agreement.standardExpiresAt)}::timestamptz,
             ${Rows.nullableAt(agreement.sensitiveExpiresAt)}::timestamptz,
             ${Rows.nullableAt(agreement.pause?.from ?? null)}::timestamptz,
             ${Rows.nullableAt(agreement.pause?.until ?? null)}::timestamptz
      FROM connections c WHERE c.user_id = ${userId} AND c.connection_id = ${id}`
