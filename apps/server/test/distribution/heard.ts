import { parse } from "libpg-query"

type Verb = "INSERT" | "UPDATE" | "DELETE" | "SELECT"

/**
 * The accesses that the record must contain: the statements that the service sends while all actions of `programs` run.
 * Without this list, a statement could disappear from the record, and nobody would notice that it is not checked. Rows
 * that sweeps delete or claim by their key are not in the list, because no row gets old enough for a sweep during the
 * test.
 */
export const TOUCHED: Readonly<Record<Verb, ReadonlyArray<string>>> = {
  INSERT: [
    "access_log",
    "access_tokens",
    "authorization_codes",
    "budgets",
    "connection_places",
    "connection_routes",
    "connections",
    "consent_requests",
    "deliveries",
    "delivery_attempts",
    "devices",
    "endpoints",
    "events",
    "fixes",
    "mail_outbox",
    "named_mail",
    "place_shapes",
    "places",
    "quarantined_fixes",
    "rate_windows",
    "refresh_tokens",
    "rule_states",
    "rules",
    "stay_backfills",
    "stays",
    "subjects",
    "subscriptions",
    "upload_streams",
    "visit_reports",
    "volume_flags"
  ],
  UPDATE: [
    "access_tokens",
    "authorization_codes",
    "budgets",
    "connections",
    "consent_requests",
    "deliveries",
    "devices",
    "endpoints",
    "events",
    "mail_outbox",
    "named_mail",
    "places",
    "refresh_tokens",
    "rules",
    "subjects"
  ],
  DELETE: ["connection_places", "endpoints", "rule_states", "stays", "subscriptions"],
  SELECT: [
    "access_log",
    "authorization_codes",
    "connection_places",
    "connection_routes",
    "connections",
    "consent_requests",
    "deliveries",
    "delivery_attempts",
    "devices",
    "endpoints",
    "events",
    "fixes",
    "history_choices",
    "imports",
    "listeners",
    "mail_outbox",
    "place_shapes",
    "places",
    "rule_states",
    "rules",
    "stay_backfills",
    "stays",
    "strike_warnings",
    "subscriptions",
    "upload_streams",
    "visit_reports",
    "volume_flags"
  ]
}

/** Matches the statement of `finishMany`, which finishes several deliveries together. */
export const SHARED = /^WITH asked AS .* INSERT INTO delivery_attempts /

/**
 * Patterns of further statements that the record must contain (see `TOUCHED`). The key says in words what the statement
 * reads or writes. `TOUCHED` has only verbs and tables, so it cannot tell these statements from other statements about
 * the same tables.
 */
export const REQUIRED: Readonly<Record<string, RegExp>> = {
  "a token": /FROM access_tokens \w+ JOIN connections /,
  "a code": /FROM authorization_codes WHERE user_id = /,
  "a refresh token and those after it": /FROM refresh_tokens presented JOIN refresh_tokens /,
  "a phone": /FROM devices WHERE user_id = \$1 AND token_hash = /,
  "what an upload is judged by": /^SELECT NULL AS version, NULL AS known, .* UNION ALL SELECT /,
  "an upload": /^WITH moved AS .* INSERT INTO fixes /,
  "an upload with visits": /^WITH moved AS .* INSERT INTO visit_reports /,
  "an upload with what cannot be": /^WITH moved AS .* INSERT INTO quarantined_fixes /,
  "an upload that fires": /^WITH moved AS .* INSERT INTO events /,
  "events that are due": /SELECT user_id, event_id, .* FROM events WHERE fanned_out_at IS NULL AND fan_out_due_at <= /,
  "a worker that lives": /^INSERT INTO workers /,
  "leases that are free": /^INSERT INTO leases /,
  "old receivers of what was fired": /event_id, 'Rule' AS of, .* subscriptions /,
  "events that are done": /^UPDATE events e SET fanned_out_at = /,
  "deliveries of an event": /^INSERT INTO deliveries .* FROM jsonb_to_recordset/,
  "deliveries after their first attempt": /^WITH attempted AS .* INSERT INTO delivery_attempts /,
  "a delivery that is sent again": /^INSERT INTO deliveries .* VALUES /,
  "endpoints that are claimed for": /^SELECT endpoint_id FROM endpoints WHERE app_id = \$1 AND endpoint_id = ANY/,
  "a claim": /^WITH endpoint AS .* UPDATE deliveries d SET lapses = /,
  "whether deliveries may be sent": /^SELECT asked\.position, c\.app_id, /,
  "the end of deliveries": SHARED,
  "mail that is due": /^UPDATE mail_outbox SET attempts = /,
  "mail that was sent": /^UPDATE mail_outbox SET sent_at = /,
  "an endpoint that changes": /^UPDATE endpoints SET /,
  "an endpoint that goes": /DELETE FROM endpoints /,
  "a rule that goes": /^WITH gone AS \( UPDATE rules .* DELETE FROM rule_states /,
  "a subscription that goes": /^DELETE FROM subscriptions WHERE .* subscription_id = /,
  "subscriptions of a connection that ends": /^DELETE FROM subscriptions WHERE user_id = \$1 AND connection_id = \$2$/,
  "fixes of a span": /^\(?SELECT user_id, device_id, captured_at, .* FROM fixes /,
  "days that have fixes": /^WITH standing AS MATERIALIZED \(/,
  "stays that are derived": /^INSERT INTO stays /,
  "visits of phones that say so": /^SELECT told\.device_id, /,
  "stays of every phone": /^SELECT stay\.place_id, d\.device_id, stay\.arrival, /
}

const VERBS: Readonly<Record<string, Verb>> = { InsertStmt: "INSERT", UpdateStmt: "UPDATE", DeleteStmt: "DELETE" }

/** Entries such as `INSERT places` for each table that a statement accesses, and for the names in its WITH. */
export const touched = async (text: string): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    for (const [name, value] of Object.entries(node)) {
      const verb = VERBS[name] ?? (name === "RangeVar" ? "SELECT" : undefined)
      if (verb !== undefined) found.add(`${verb} ${verb === "SELECT" ? value.relname : value.relation?.relname}`)
      walk(value)
    }
  }
  walk(await parse(text))
  return found
}
