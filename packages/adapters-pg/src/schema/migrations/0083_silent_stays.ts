/**
 * `heard_until`: the time of the last fix before a long silence, after which the device was far away. Nobody knows
 * when, during the silence, the device left (decision visits-11). Null for all other stays. `stays_rule`: the number of
 * the rules by which the stays of a device were derived; after an upgrade, stays of older rules are derived anew
 * (decision visits-12). Devices from before this migration have the number 1, and new ones 2.
 */
export const statements = [
  `ALTER TABLE stays ADD COLUMN heard_until timestamptz(3)`,
  `ALTER TABLE devices ADD COLUMN stays_rule smallint NOT NULL DEFAULT 1`,
  `ALTER TABLE devices ALTER COLUMN stays_rule SET DEFAULT 2`,
  // A worker looks for devices with the rule 1 every five minutes. Once the stays of all of them are derived anew, the
  // index is empty.
  `CREATE INDEX devices_outdated ON devices (user_id, device_id) WHERE stays_rule < 2`
]
