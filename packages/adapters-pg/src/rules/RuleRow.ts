import { Rule } from "@place-access/domain/rules"
import { AppId, ConnectionId, PlaceId, RuleId, UserId } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

const common = {
  user_id: UserId,
  rule_id: RuleId,
  connection_id: ConnectionId,
  app_id: AppId,
  type: Rule.RuleType,
  dwell_minutes: Schema.NullOr(Schema.Int),
  settle_s: Schema.NullOr(Schema.Int),
  silence_s: Schema.NullOr(Schema.Int),
  webhook_url: Schema.NullOr(Schema.String),
  is_legacy: Schema.Boolean,
  active_from: Rows.NullableAt,
  active_until: Rows.NullableAt,
  max_event_age_s: Schema.NullOr(Schema.Int),
  created_at: Rows.At
}

/** A rule of a place, with the current label of the place. */
const PlaceTarget = Schema.Struct({ ...common, place_id: PlaceId, label: Schema.String })
const ZoneTarget = Schema.Struct({
  ...common,
  place_id: Schema.Null,
  lat: Schema.Finite,
  lon: Schema.Finite,
  radius_m: Schema.Finite,
  label: Schema.String
})

export const RuleRow = Schema.Union(PlaceTarget, ZoneTarget)
export type RuleRow = typeof RuleRow.Type

/**
 * Selects a `RuleRow` from `rules r LEFT JOIN places p`. The circle of the place is selected under the names of the
 * zone's columns, so that an evaluation finds the circle in the same columns for rules of places and of zones.
 */
export const COLUMNS = `r.user_id, r.rule_id, r.connection_id, r.app_id, r.type, r.place_id, r.dwell_minutes, r.settle_s, r.silence_s, r.webhook_url,
  r.own_secret IS NOT NULL AS is_legacy, r.active_from, r.active_until, r.max_event_age_s, r.created_at,
    coalesce(p.lat, r.lat) AS lat, coalesce(p.lon, r.lon) AS lon,
  coalesce(p.radius_m, r.radius_m) AS radius_m, coalesce(p.label, r.label) AS label`

const target = (row: RuleRow): Rule.RuleTarget =>
  row.place_id === null
    ? { _tag: "Zone", circle: { lat: row.lat, lon: row.lon, radiusM: row.radius_m }, label: row.label }
    : { _tag: "Place", placeId: row.place_id, label: row.label }

export const toRule = (row: RuleRow, disabledAt: Rule.Rule["disabledAt"]): Rule.Rule => ({
  userId: row.user_id,
  id: row.rule_id,
  connectionId: row.connection_id,
  appId: row.app_id,
  type: row.type,
  target: target(row),
  dwellMinutes: row.dwell_minutes,
  settleS: row.settle_s,
  silenceS: row.silence_s,
  webhookUrl: row.webhook_url,
  isLegacy: row.is_legacy,
  window: { from: row.active_from, until: row.active_until },
  maxEventAgeS: row.max_event_age_s,
  createdAt: row.created_at,
  disabledAt
})
