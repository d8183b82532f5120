/**
 * When the scope for place or for zone rules last came back, to the app or to the connection: rules that need it begin
 * anew then (decision L8). Null: it was never gone.
 */
export const statements = [
  `ALTER TABLE apps ADD COLUMN place_rules_since timestamptz(3), ADD COLUMN zone_rules_since timestamptz(3)`,
  `ALTER TABLE connections ADD COLUMN place_rules_since timestamptz(3), ADD COLUMN zone_rules_since timestamptz(3)`
]
