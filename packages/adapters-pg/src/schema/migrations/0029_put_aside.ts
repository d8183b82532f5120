/** What phones sent and could not be taken, counted for their owners. */
export const statements = [
  // By reason: how many readings, and when the last of them arrived, in milliseconds since 1970.
  `ALTER TABLE devices ADD COLUMN put_aside jsonb NOT NULL DEFAULT '{}'`,
  // When the device last sent something that could be kept; null: never, or not since this is written down.
  `ALTER TABLE devices ADD COLUMN last_kept_at timestamptz(3)`
]
