import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { LiveRule, type Rule } from "@place-access/domain/rules"
import type { ConnectionId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { COLUMNS, RuleRow, toRule } from "./RuleRow.js"

/** SQL: the scope that a rule `r` needs, as `LiveRule.neededScope` computes it. */
export const NEEDED_SCOPE = `CASE WHEN r.place_id IS NULL THEN 'location.rules.zone' ELSE 'location.rules.place' END`

/**
 * An SQL condition over `connections c` and `apps a`: the user granted the scope that the rule needs, and the app
 * declares the scope and may use it. The condition does not check whether the connection is live.
 */
export const SCOPE_HOLDS = `(${NEEDED_SCOPE} = ANY (c.held_scopes) AND ${NEEDED_SCOPE} = ANY (a.declared_scopes)
  AND (a.allowed_scopes IS NULL OR ${NEEDED_SCOPE} = ANY (a.allowed_scopes)))`

/**
 * SQL: the time at which the connection or the app last got the needed scope back; null when neither ever got the scope
 * back.
 */
export const SCOPE_SINCE = `CASE WHEN r.place_id IS NULL THEN greatest(c.zone_rules_since, a.zone_rules_since)
  ELSE greatest(c.place_rules_since, a.place_rules_since) END`

const StandingRow = Schema.extend(
  RuleRow,
  Schema.Struct({
    disabled_at: Rows.NullableAt,
    archived_at: Rows.NullableAt,
    stands: Schema.Boolean,
    // For a rule whose place the user withdrew: `withdrawn_label` is the label that the app sees, `noted_label` the
    // label that is stored in the rule's row.
    withdrawn_label: Schema.NullOr(Schema.String),
    noted_label: Schema.NullOr(Schema.String)
  })
)

type NotedRow = Pick<typeof StandingRow.Type, "disabled_at" | "noted_label">

/** Which rules of a connection `standing` lists: further conditions on `rules r`, and a LIMIT. */
export interface StandingPart {
  readonly and: Fragment
  readonly limit: Fragment
  /** Whether the caller holds the lock of the connection's row. */
  readonly isLocked: boolean
}

/**
 * Lists the connection's rules that are not deleted, or a part of them, oldest first, with the current labels and
 * `disabledAt`. The list is empty when the connection has ended. Reading also writes. When a rule has become disabled
 * since the last read, its row stores the time since which it is disabled; when a rule has become enabled, that time is
 * removed (`RuleStore.list`). When the user has withdrawn the place, the row stores the place's label at that time,
 * because the app must not get a later label.
 *
 * Without the lock of the connection's row, a withdrawal may commit between the SELECT and the UPDATE. The UPDATE then
 * skips the rows that the withdrawal changed, because it would remove their labels. The next read stores what is
 * missing. Under the lock, no withdrawal can commit in between. So the UPDATE then also overwrites what a read without
 * the lock has stored since the SELECT. If it skipped such a row, that read could keep a withdrawal from storing the
 * label.
 */
export const standing = (
  sql: SqlClient,
  userId: UserId,
  connectionId: ConnectionId,
  now: Timestamp.Timestamp,
  part: StandingPart = { and: sql``, limit: sql``, isLocked: true }
) =>
  Effect.gen(function* () {
    const rows = yield* sql`
      SELECT ${sql.literal(COLUMNS)}, r.disabled_at, p.archived_at,
             (r.place_id IS NULL OR (p.archived_at IS NULL AND s.place_id IS NOT NULL))
               AND ${sql.literal(SCOPE_HOLDS)} AS stands,
             CASE WHEN r.place_id IS NOT NULL AND s.place_id IS NULL THEN coalesce(r.label, p.label)
               END AS withdrawn_label,
             CASE WHEN r.place_id IS NOT NULL THEN r.label END AS noted_label
      FROM rules r
      JOIN connections c ON c.user_id = r.user_id AND c.connection_id = r.connection_id
      JOIN apps a ON a.app_id = r.app_id
      LEFT JOIN places p ON p.user_id = r.user_id AND p.place_id = r.place_id
      LEFT JOIN connection_places s
        ON s.user_id = r.user_id AND s.connection_id = r.connection_id AND s.place_id = r.place_id
      WHERE r.user_id = ${userId} AND r.connection_id = ${connectionId} AND r.deleted_at IS NULL
        AND c.user_id = ${userId} AND c.ended_at IS NULL ${part.and}
      ORDER BY r.created_at, r.rule_id COLLATE "C" ${part.limit}`.pipe(Rows.all(StandingRow))
    const news: Array<{ readonly rule: Rule.Rule; readonly label: string | null; readonly was: NotedRow }> = []
    const rules = rows.map((row) => {
      const { withdrawn_label: label } = row
      const shownRow = label === null ? row : { ...row, label }
      const rule = toRule(shownRow, LiveRule.disabledSince(row.stands, row.disabled_at, row.archived_at, now))
      if (rule.disabledAt !== row.disabled_at || label !== row.noted_label) {
        news.push({ rule, label, was: row })
      }
      return rule
    })
    if (news.length > 0) {
      const isUnchanged = sql`AND r.disabled_at IS NOT DISTINCT FROM news.was_disabled_at
        AND (r.place_id IS NULL OR r.label IS NOT DISTINCT FROM news.was_label)`
      yield* sql`UPDATE rules r SET disabled_at = news.disabled_at,
                   label = CASE WHEN r.place_id IS NULL THEN r.label ELSE news.label END
                 FROM unnest(${news.map(({ rule }) => rule.id)}::text[],
                             ${news.map(({ rule }) => Rows.nullableAt(rule.disabledAt))}::timestamptz[],
                             ${news.map(({ label }) => label)}::text[],
                             ${news.map(({ was }) => Rows.nullableAt(was.disabled_at))}::timestamptz[],
                             ${news.map(({ was }) => was.noted_label)}::text[])
                   AS news (rule_id, disabled_at, label, was_disabled_at, was_label)
                 WHERE r.user_id = ${userId} AND r.rule_id = news.rule_id ${part.isLocked ? sql`` : isUnchanged}`
    }
    return rules
  })
