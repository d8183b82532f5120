import type { SqlClient } from "@effect/sql/SqlClient"
import { type Evaluations, RecentEvaluations } from "@place-access/domain/rules"
import { type ConnectionId, RuleId, type UserId } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { RecentColumn } from "./RecentColumn.js"

const EvaluationsRow = Schema.Struct({ rule_id: RuleId, recent: RecentColumn, zones_before: Rows.Bigint })

/**
 * Implements `RuleStore.evaluations`. A zone begins when it was created or at `active_from`, whichever is later;
 * `greatest` ignores an `active_from` that is null.
 */
export const evaluations = (sql: SqlClient, userId: UserId, connectionId: ConnectionId, ids: ReadonlyArray<RuleId>) =>
  sql`
    WITH zones AS (
      SELECT rule_id, greatest(created_at, active_from) AS beginning FROM rules
      WHERE user_id = ${userId} AND connection_id = ${connectionId} AND place_id IS NULL
    )
    SELECT r.rule_id, s.recent,
           (SELECT count(*) FROM zones own, zones other
            WHERE own.rule_id = r.rule_id
              AND other.beginning > own.beginning - ${RecentEvaluations.PERIOD} * interval '1 millisecond'
              AND (other.beginning, other.rule_id COLLATE "C") < (own.beginning, own.rule_id COLLATE "C")) AS zones_before
    FROM rules r
    LEFT JOIN rule_states s ON s.user_id = r.user_id AND s.rule_id = r.rule_id
    WHERE r.user_id = ${userId} AND r.connection_id = ${connectionId} AND r.deleted_at IS NULL
      AND r.rule_id = ANY (${ids}::text[])`.pipe(
    Rows.all(EvaluationsRow),
    Effect.map(
      (rows): ReadonlyMap<RuleId, Evaluations> =>
        new Map(rows.map((row) => [row.rule_id, { recent: row.recent, zonesBefore: row.zones_before }]))
    )
  )
