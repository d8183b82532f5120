/**
 * Stays that end before a long silence (decision visits-11), and stays that are derived anew after an upgrade (decision
 * visits-12). Devices from before this migration have the rule 1, and new ones the rule 2.
 */
export const statements = [
  `ALTER TABLE stays ADD COLUMN heard_until timestamptz(3)`,
  `ALTER TABLE devices ADD COLUMN stays_rule smallint NOT NULL DEFAULT 1`,
  `ALTER TABLE devices ALTER COLUMN stays_rule SET DEFAULT 2`,
  // A worker looks for devices with the rule 1 every five minutes. When their stays are derived anew, the index is
  // empty.
  `CREATE INDEX devices_outdated ON devices (user_id, device_id) WHERE stays_rule < 2`
]
