/** Counts the readings of a phone that were put aside, so that its owner can see them. */
export const statements = [
  // For each reason, how many readings were put aside, and when the last of them arrived, in milliseconds since 1970.
  `ALTER TABLE devices ADD COLUMN put_aside jsonb NOT NULL DEFAULT '{}'`,
  // When the device last sent a reading or a visit that was stored; null: never, or not since this migration.
  `ALTER TABLE devices ADD COLUMN last_kept_at timestamptz(3)`
]
