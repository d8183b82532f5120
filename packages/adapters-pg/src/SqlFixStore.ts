import { SqlClient } from "@effect/sql/SqlClient"
import { Fix, FixStore } from "@place-access/domain/fixes"
import { LiveRule, RuleEvaluation } from "@place-access/domain/rules"
import { type DeviceId, type Timestamp, type UserId } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { orStoreError } from "./Failures.js"
import { StoredRow, toStored } from "./fixes/StoredRow.js"
import { knownStatement, uploadStatement } from "./fixes/UploadStatement.js"
import * as Rows from "./Rows.js"
import { RecentColumn } from "./rules/RecentColumn.js"
import { COLUMNS, RuleRow, toRule } from "./rules/RuleRow.js"
import { SCOPE_HOLDS, SCOPE_SINCE } from "./rules/RuleStanding.js"

const LiveRow = Schema.extend(
  RuleRow,
  Schema.Struct({
    version: Rows.Bigint,
    lat: Schema.Finite,
    lon: Schema.Finite,
    radius_m: Schema.Finite,
    // null for a zone
    geometry_version: Schema.NullOr(Schema.Int),
    shared_at: Rows.NullableAt,
    scope_since: Rows.NullableAt,
    // null until the rule has a state
    basis: Schema.NullOr(Schema.String),
    side: Schema.NullOr(Schema.Literal("inside", "outside")),
    since: Rows.NullableAt,
    dwell_spent: Schema.NullOr(Schema.Boolean),
    as_of: Rows.NullableAt,
    last_fired_at: Rows.NullableAt,
    recent: RecentColumn
  })
)

/** The row that tells the version when the user has no live rule. */
const VersionRow = Schema.Struct({ version: Rows.Bigint, rule_id: Schema.Null })

const ViewRow = Schema.Union(VersionRow, LiveRow)

const toLiveRule = (row: typeof LiveRow.Type): LiveRule.LiveRule => {
  const basis =
    row.geometry_version === null || row.shared_at === null
      ? LiveRule.zoneBasis(row.scope_since)
      : LiveRule.placeBasis(row.geometry_version, row.shared_at, row.scope_since)
  return {
    rule: toRule(row, null),
    circle: { lat: row.lat, lon: row.lon, radiusM: row.radius_m },
    basis,
    recent: row.recent,
    state:
      row.basis === null
        ? RuleEvaluation.unseeded(basis)
        : {
            side: row.side,
            since: row.since,
            dwellSpent: row.dwell_spent ?? false,
            asOf: row.as_of,
            lastFiredAt: row.last_fired_at,
            basis: row.basis
          }
  }
}

const PositionRow = Schema.Struct({ position: Schema.Int })

const SeenRow = Schema.Struct({ last_seen_at: Rows.NullableAt })

export const layer: Layer.Layer<FixStore, never, SqlClient> = Layer.effect(
  FixStore,
  Effect.map(SqlClient, (sql) => {
    const storedColumns = sql.literal(Object.keys(StoredRow.fields).join(", "))

    /** The user's version and live rules with their states, as of one moment. */
    const rulesAndVersion = (userId: UserId, now: Timestamp.Timestamp) =>
      sql`SELECT coalesce(stream.version, 0) AS version, live.*
          FROM (SELECT 1) AS always
          LEFT JOIN upload_streams stream ON stream.user_id = ${userId}
          LEFT JOIN (
            SELECT ${sql.literal(COLUMNS)}, p.geometry_version, shared.shared_at,
                   ${sql.literal(SCOPE_SINCE)} AS scope_since,
                   s.basis, s.side, s.since, s.dwell_spent, s.as_of, s.last_fired_at, s.recent
            FROM rules r
            JOIN connections c ON c.user_id = r.user_id AND c.connection_id = r.connection_id
            JOIN apps a ON a.app_id = r.app_id
            LEFT JOIN connection_places shared
              ON shared.user_id = r.user_id AND shared.connection_id = r.connection_id AND shared.place_id = r.place_id
            LEFT JOIN places p ON p.user_id = r.user_id AND p.place_id = shared.place_id AND p.archived_at IS NULL
            LEFT JOIN rule_states s ON s.user_id = r.user_id AND s.rule_id = r.rule_id
            WHERE r.user_id = ${userId} AND r.deleted_at IS NULL
              AND (r.place_id IS NULL OR p.place_id IS NOT NULL)
              AND (r.active_until IS NULL OR r.active_until >= ${Rows.at(now - RuleEvaluation.LATE_UPLOAD)})
              AND c.user_id = ${userId} AND c.ended_at IS NULL
              AND (c.standard_expires_at IS NULL OR c.standard_expires_at > ${Rows.at(now)})
              AND a.revoked_at IS NULL AND ${sql.literal(SCOPE_HOLDS)}
          ) live ON true
          ORDER BY live.rule_id COLLATE "C"`.pipe(Rows.all(ViewRow))

    const known = (userId: UserId, deviceId: DeviceId, fixes: ReadonlyArray<Fix.Fix>) =>
      fixes.length === 0
        ? Effect.succeed(new Set<string>())
        : knownStatement(sql, userId, deviceId, fixes).pipe(
            Rows.all(PositionRow),
            Effect.map((rows) => {
              const keys = new Set<string>()
              for (const { position } of rows) {
                const fix = fixes[position - 1]
                if (fix !== undefined) keys.add(Fix.key(fix))
              }
              return keys
            })
          )

    return FixStore.of({
      view: (userId, deviceId, fixes, now) =>
        Effect.gen(function* () {
          // The version first: whatever is stored after it makes the commit fail, so what is known may be newer but never older.
          const rows = yield* rulesAndVersion(userId, now)
          return {
            version: rows[0]?.version ?? 0,
            known: yield* known(userId, deviceId, fixes),
            rules: rows.flatMap((row) => (row.rule_id === null ? [] : [toLiveRule(row)]))
          }
        }).pipe(orStoreError),

      commit: (upload) =>
        uploadStatement(sql, upload).pipe(
          Effect.map((rows) => rows.length > 0),
          orStoreError
        ),

      latest: (userId, limit) =>
        sql`SELECT ${storedColumns} FROM fixes WHERE user_id = ${userId}
            ORDER BY captured_at DESC, device_id COLLATE "C" DESC, lat DESC, lon DESC LIMIT ${limit}`.pipe(
          Rows.all(StoredRow),
          Effect.map((rows) => rows.map(toStored)),
          orStoreError
        ),

      lastReceivedAt: (userId) =>
        sql`SELECT max(last_seen_at) AS last_seen_at FROM devices WHERE user_id = ${userId}`.pipe(
          Rows.first(SeenRow),
          Effect.map(Option.flatMapNullable((row) => row.last_seen_at)),
          orStoreError
        )
    })
  })
)
