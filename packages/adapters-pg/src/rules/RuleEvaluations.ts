import type { SqlClient } from "@effect/sql/SqlClient"
import { Pause } from "@place-access/domain/connection"
import { type Evaluations, LiveRule, RecentEvaluations } from "@place-access/domain/rules"
import { type ConnectionId, RuleId, Timestamp, type UserId } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import { toPause } from "../steering/PauseColumns.js"
import * as Rows from "../driver/Rows.js"
import { RecentColumn } from "./RecentColumn.js"
import { SCOPE_SINCE } from "./RuleStanding.js"

const EvaluationsRow = Schema.Struct({
  rule_id: RuleId,
  recent: RecentColumn,
  zones_before: Rows.Bigint,
  created_at: Rows.At,
  valid_from: Rows.NullableAt,
  shared_at: Rows.NullableAt,
  scope_since: Rows.NullableAt,
  paused_at: Rows.NullableAt,
  paused_until: Rows.NullableAt,
  suspensions: Schema.Array(Schema.Struct({ from: Timestamp.Timestamp, until: Timestamp.Timestamp }))
})

const toEvaluations = (row: typeof EvaluationsRow.Type, now: Timestamp.Timestamp): Evaluations => {
  const pause = toPause(row)
  const since = LiveRule.latest(row.scope_since, Pause.endedAt(pause, now))
  return {
    recent: row.recent,
    zonesBefore: row.zones_before,
    firesFrom: LiveRule.firesFrom(row.created_at, row.valid_from, row.shared_at, since),
    suspensions: row.suspensions,
    isPaused: Pause.isOn(pause, now)
  }
}

/**
 * Implements `RuleStore.evaluations`. A rule of a zone begins when it was created or at `active_from`, whichever is
 * later. `greatest` ignores a null in `active_from`.
 */
export const evaluations = (sql: SqlClient, userId: UserId, connectionId: ConnectionId, ids: ReadonlyArray<RuleId>) =>
  Effect.gen(function* () {
    const rows = yield* sql`
      WITH zones AS (
        SELECT rule_id, greatest(created_at, active_from) AS beginning FROM rules
        WHERE user_id = ${userId} AND connection_id = ${connectionId} AND place_id IS NULL
      )
      SELECT r.rule_id, s.recent, r.created_at, shape.valid_from, shared.shared_at,
             ${sql.literal(SCOPE_SINCE)} AS scope_since, c.paused_at, c.paused_until,
             (SELECT count(*) FROM zones own, zones other
              WHERE own.rule_id = r.rule_id
                AND other.beginning > own.beginning - ${RecentEvaluations.PERIOD} * interval '1 millisecond'
                AND (other.beginning, other.rule_id COLLATE "C") < (own.beginning, own.rule_id COLLATE "C")
             ) AS zones_before,
             (SELECT coalesce(jsonb_agg(jsonb_build_object(
                       'from', (extract(epoch FROM lower(one)) * 1000)::bigint,
                       'until', (extract(epoch FROM upper(one)) * 1000)::bigint)), '[]'::jsonb)
              FROM unnest(a.suspensions + coalesce(person.suspensions, '{}')) AS one) AS suspensions
      FROM rules r
      JOIN connections c ON c.user_id = r.user_id AND c.connection_id = r.connection_id
      JOIN apps a ON a.app_id = r.app_id
      LEFT JOIN accounts person ON person.user_id = r.user_id
      LEFT JOIN connection_places shared
        ON shared.user_id = r.user_id AND shared.connection_id = r.connection_id AND shared.place_id = r.place_id
      LEFT JOIN places p ON p.user_id = r.user_id AND p.place_id = r.place_id
      LEFT JOIN place_shapes shape
        ON shape.user_id = r.user_id AND shape.place_id = p.place_id AND shape.geometry_version = p.geometry_version
      LEFT JOIN rule_states s ON s.user_id = r.user_id AND s.rule_id = r.rule_id
      WHERE r.user_id = ${userId} AND r.connection_id = ${connectionId} AND r.deleted_at IS NULL
        AND r.rule_id = ANY (${ids}::text[])`.pipe(Rows.all(EvaluationsRow))
    const now = yield* Timestamp.now
    const all: ReadonlyMap<RuleId, Evaluations> = new Map(rows.map((row) => [row.rule_id, toEvaluations(row, now)]))
    return all
  })
