import type { SqlClient } from "@effect/sql/SqlClient"
import type { Rule } from "@place-access/domain/rules"
import type { Vault } from "@place-access/domain/shared"
import * as Rows from "../driver/Rows.js"

/** Inserts a rule. `ownSecret` is the signing secret of an imported rule; null for other rules. */
export const insertRule = (sql: SqlClient, rule: Rule.Rule, ownSecret: Vault.Sealed | null) => {
  const { target } = rule
  const circle = target._tag === "Zone" ? target.circle : null
  return sql`INSERT INTO rules (user_id, rule_id, connection_id, app_id, type, place_id, lat, lon, radius_m, label,
                                dwell_minutes, webhook_url, own_secret, active_from, active_until, max_event_age_s,
                                settle_s, silence_s, created_at)
             VALUES (${rule.userId}, ${rule.id}, ${rule.connectionId}, ${rule.appId}, ${rule.type},
                     ${target._tag === "Place" ? target.placeId : null}, ${circle?.lat ?? null}, ${circle?.lon ?? null},
                     ${circle?.radiusM ?? null}, ${target._tag === "Zone" ? target.label : null}, ${rule.dwellMinutes},
                     ${rule.webhookUrl}, ${ownSecret}, ${Rows.nullableAt(rule.window.from)},
                     ${Rows.nullableAt(rule.window.until)}, ${rule.maxEventAgeS}, ${rule.settleS}, ${rule.silenceS},
                     ${Rows.at(rule.createdAt)})`
}
