/**
 * The time at which the app or the connection last got the scope for place rules, or for zone rules, back. At this
 * time, rules that need the scope begin anew (decision L8). Null: the scope never came back.
 */
export const statements = [
  `ALTER TABLE apps ADD COLUMN place_rules_since timestamptz(3), ADD COLUMN zone_rules_since timestamptz(3)`,
  `ALTER TABLE connections ADD COLUMN place_rules_since timestamptz(3), ADD COLUMN zone_rules_since timestamptz(3)`
]
