import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Pause } from "@place-access/domain/connection"
import { Fix, type SentFixes, type UploadView } from "@place-access/domain/fixes"
import { LiveRule, RuleEvaluation } from "@place-access/domain/rules"
import { DeviceId, Timestamp, type UserId } from "@place-access/domain/shared"
import { Effect, Order, type ParseResult, Schema } from "effect"
import { reads } from "../driver/Client.js"
import * as HistoryBound from "../history/HistoryBound.js"
import * as Rows from "../driver/Rows.js"
import { toPause } from "../steering/PauseColumns.js"
import * as Erasures from "../retention-choice/Erasures.js"
import * as MovementColumn from "../history/MovementColumn.js"
import { COLUMNS, RuleRow, toRule } from "../rules/RuleRow.js"
import { SCOPE_HOLDS, SCOPE_SINCE } from "../rules/RuleStanding.js"

const DeviceValue = Schema.Struct({
  id: DeviceId,
  stays_at_home: Schema.Boolean,
  last_seen_at: Schema.NullOr(Timestamp.Timestamp),
  // Null: no reading of the device was put aside because its time was in the future.
  last_future_at: Schema.NullOr(Timestamp.Timestamp),
  movement: MovementColumn.MovementColumn
})

const toDevice = (device: typeof DeviceValue.Type): UploadView["devices"][number] => ({
  id: device.id,
  staysAtHome: device.stays_at_home,
  lastSeenAt: device.last_seen_at,
  lastFutureAt: device.last_future_at,
  movement: MovementColumn.decode(device.movement)
})

/** The one row in the result of `read` that is not about a rule. It has all other parts of the view. */
const HeadRow = Schema.Struct({
  rule_id: Schema.Null,
  version: Rows.Bigint,
  // Null: none of the uploaded fixes is stored already.
  known: Schema.NullOr(Schema.Array(Schema.Int)),
  // Null: the user keeps all history.
  cutoff: Rows.NullableAt,
  // Null: the user deleted no stretch of history.
  erasures: Erasures.Column,
  // Null: the user has no device.
  devices: Schema.NullOr(Schema.Array(DeviceValue))
})

const LiveRow = Schema.extend(
  RuleRow,
  Schema.Struct({
    lat: Schema.Finite,
    lon: Schema.Finite,
    radius_m: Schema.Finite,
    // Null for a rule on a zone.
    geometry_version: Schema.NullOr(Schema.Int),
    // Null for a rule on a zone, and for a rule on a place that has had this shape from the beginning.
    valid_from: Rows.NullableAt,
    shared_at: Rows.NullableAt,
    scope_since: Rows.NullableAt,
    paused_at: Rows.NullableAt,
    paused_until: Rows.NullableAt,
    // Null until the rule has a state.
    basis: Schema.NullOr(Schema.String),
    side: Schema.NullOr(Schema.Literal("inside", "outside")),
    since: Rows.NullableAt,
    dwell_spent: Schema.NullOr(Schema.Boolean),
    as_of: Rows.NullableAt,
    last_fired_at: Rows.NullableAt,
    unsettled_at: Rows.NullableAt,
    unsettled_until: Rows.NullableAt,
    settle_due_at: Rows.NullableAt
  })
)

const toUnsettled = ({
  settle_due_at,
  unsettled_at: at,
  unsettled_until: until
}: typeof LiveRow.Type): RuleEvaluation.Unsettled | null =>
  at === null || until === null ? null : { at, until, fires: settle_due_at !== null }

const ViewRow = Schema.Union(HeadRow, LiveRow)

const toLiveRule = (row: typeof LiveRow.Type, now: Timestamp.Timestamp): LiveRule.LiveRule => {
  const since = LiveRule.latest(row.scope_since, Pause.endedAt(toPause(row), now))
  const basis =
    row.geometry_version === null || row.shared_at === null
      ? LiveRule.zoneBasis(since)
      : LiveRule.placeBasis(row.geometry_version, row.shared_at, since)
  return {
    rule: toRule(row, null),
    circle: { lat: row.lat, lon: row.lon, radiusM: row.radius_m },
    basis,
    firesFrom: LiveRule.firesFrom(row.created_at, row.valid_from, row.shared_at, since),
    state:
      row.basis === null
        ? RuleEvaluation.unseeded(basis)
        : {
            side: row.side,
            since: row.since,
            dwellSpent: row.dwell_spent ?? false,
            asOf: row.as_of,
            lastFiredAt: row.last_fired_at,
            unsettled: toUnsettled(row),
            basis: row.basis
          }
  }
}

/**
 * The largest number of fixes in an upload whose view is read on a connection that several requests share. The
 * statement of `read` makes one index look-up for each fix of the upload. With more fixes, the reads of other requests
 * would wait too long for these look-ups, so the statement gets a connection of its own.
 */
const SHORT = 100

/** A NULL for each column of `LiveRow`. PostgreSQL refuses the statement if the number of NULLs is wrong. */
const NO_RULE = Array.from({ length: 34 }, () => "NULL").join(", ")

/**
 * Implements `FixStore.view`. Reads the user's version, the fixes that are stored already, the live rules with their
 * states, the phones, the cutoff and the deleted stretches, all as of one moment.
 *
 * The statement is a UNION ALL of the rules and the head row (`HeadRow`). Citus plans the statement anew at each
 * upload, and would take twice as long to plan a join of the rules with the head row.
 */
export const read = (
  sql: SqlClient,
  userId: UserId,
  sent: ReadonlyArray<SentFixes>,
  now: Timestamp.Timestamp
): Effect.Effect<UploadView, SqlError | ParseResult.ParseError> => {
  const fixes = sent.flatMap(({ deviceId, fixes }) => fixes.map((fix): SentFix => ({ deviceId, fix })))
  const known = fixes.length === 0 ? sql`SELECT NULL::integer[]` : knownStatement(sql, userId, fixes)
  return (fixes.length > SHORT ? sql : reads(sql))`
    SELECT NULL AS version, NULL AS known, NULL AS cutoff, NULL AS erasures, NULL AS devices,
           ${sql.literal(COLUMNS)}, p.geometry_version, shape.valid_from, shared.shared_at,
           ${sql.literal(SCOPE_SINCE)} AS scope_since, c.paused_at, c.paused_until,
           s.basis, s.side, s.since, s.dwell_spent, s.as_of, s.last_fired_at, s.unsettled_at, s.unsettled_until,
           s.settle_due_at
    FROM rules r
    JOIN connections c ON c.user_id = r.user_id AND c.connection_id = r.connection_id
    JOIN apps a ON a.app_id = r.app_id
    LEFT JOIN connection_places shared
      ON shared.user_id = r.user_id AND shared.connection_id = r.connection_id AND shared.place_id = r.place_id
    LEFT JOIN places p ON p.user_id = r.user_id AND p.place_id = shared.place_id AND p.archived_at IS NULL
    LEFT JOIN place_shapes shape
      ON shape.user_id = r.user_id AND shape.place_id = p.place_id AND shape.geometry_version = p.geometry_version
    LEFT JOIN rule_states s ON s.user_id = r.user_id AND s.rule_id = r.rule_id
    WHERE r.user_id = ${userId} AND r.deleted_at IS NULL
      AND (r.place_id IS NULL OR p.place_id IS NOT NULL)
      AND (r.active_until IS NULL OR r.active_until >= ${Rows.at(now - RuleEvaluation.LATE_UPLOAD)})
      AND c.user_id = ${userId} AND c.ended_at IS NULL
      AND (c.standard_expires_at IS NULL OR c.standard_expires_at > ${Rows.at(now)})
      AND (c.paused_at IS NULL OR c.paused_until <= ${Rows.at(now)})
      AND a.revoked_at IS NULL AND ${sql.literal(SCOPE_HOLDS)}
    UNION ALL
    SELECT coalesce((SELECT version FROM upload_streams WHERE user_id = ${userId}), 0),
           (${known}),
           nullif(${HistoryBound.cutoff(sql, userId, now)}, '-infinity'),
           ${Erasures.column(sql, userId)},
           (SELECT jsonb_agg(jsonb_build_object('id', d.device_id, 'stays_at_home', d.stays_at_home, 'movement', d.movement,
                                                'last_seen_at', (extract(epoch FROM d.last_seen_at) * 1000)::bigint,
                                                'last_future_at', (d.put_aside #>> '{future,last_at}')::bigint))
            FROM devices d
            WHERE d.user_id = ${userId} AND d.removed_at IS NULL AND d.format <> 'import'),
           ${sql.literal(NO_RULE)}`.pipe(
    Rows.all(ViewRow),
    Effect.map((rows) => toView(rows, fixes, now))
  )
}

const byId = Order.mapInput(Order.string, ({ rule }: LiveRule.LiveRule) => rule.id)

const toView = (
  rows: ReadonlyArray<typeof ViewRow.Type>,
  fixes: ReadonlyArray<SentFix>,
  now: Timestamp.Timestamp
): UploadView => {
  const rules: Array<LiveRule.LiveRule> = []
  let head: typeof HeadRow.Type | undefined
  for (const row of rows) {
    if (row.rule_id === null) head = row
    else rules.push(toLiveRule(row, now))
  }
  return {
    version: head?.version ?? 0,
    known: keysOf(fixes, head?.known ?? []),
    rules: rules.sort(byId),
    devices: (head?.devices ?? []).map(toDevice),
    cutoff: head?.cutoff ?? null,
    erasures: head?.erasures ?? []
  }
}

const keysOf = (fixes: ReadonlyArray<SentFix>, positions: ReadonlyArray<number>): UploadView["known"] => {
  const known = new Map<DeviceId, Set<string>>()
  for (const position of positions) {
    const one = fixes[position - 1]
    if (one === undefined) continue
    const keys = known.get(one.deviceId) ?? new Set()
    known.set(one.deviceId, keys.add(Fix.key(one.fix)))
  }
  return known
}

/** A fix that was sent, with its device. */
interface SentFix {
  readonly deviceId: DeviceId
  readonly fix: Fix.Fix
}

/**
 * Selects an array with the positions, in the list `sent`, of the fixes that their devices uploaded before. The first
 * position is 1. Null when the devices uploaded none of these fixes.
 */
export const knownStatement = (sql: SqlClient, userId: UserId, sent: ReadonlyArray<SentFix>) => {
  const times = sent.map(({ fix }) => fix.capturedAt)
  const [first, last] = times.reduce(
    ([low, high], time) => [Math.min(low, time), Math.max(high, time)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  )
  // The subquery makes one index look-up for each fix. For a join, a planner without statistics would read all fixes
  // between the first and the last. BETWEEN limits the look-ups to the partitions of those months.
  //
  // `position = position + 0` keeps the cached plan cheap: the planner cannot estimate this comparison, so it expects
  // one row. Without it, the planner expects ten rows from the list and, in a generic plan, a look-up in each month for
  // each of these rows. Then PostgreSQL would plan anew at each upload, which takes longer than running the statement.
  return sql`
    SELECT array_agg(asked.position::integer)
    FROM (
      SELECT * FROM unnest(${sent.map(({ deviceId }) => deviceId)}::text[], ${times.map(Rows.at)}::timestamptz[],
                  ${sent.map(({ fix }) => fix.lat)}::float8[], ${sent.map(({ fix }) => fix.lon)}::float8[])
        WITH ORDINALITY AS given (device_id, captured_at, lat, lon, position)
      WHERE position = position + 0 OFFSET 0
    ) AS asked
    WHERE (
      SELECT true FROM fixes
      WHERE fixes.user_id = ${userId} AND fixes.device_id = asked.device_id AND fixes.captured_at = asked.captured_at
        AND fixes.lat = asked.lat AND fixes.lon = asked.lon
        AND fixes.captured_at BETWEEN ${Rows.at(first)} AND ${Rows.at(last)}
      LIMIT 1
    )`
}
