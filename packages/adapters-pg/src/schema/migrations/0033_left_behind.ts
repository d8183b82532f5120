/** Devices that stay at home, and what they sent. */
export const statements = [
  // Said by its owner: it is not carried.
  `ALTER TABLE devices ADD COLUMN stays_at_home boolean NOT NULL DEFAULT false`,
  // Of a device that was left behind: history that decides nothing. What was stored before this is believed, as it was.
  `ALTER TABLE fixes ADD COLUMN left_behind boolean NOT NULL DEFAULT false`
]
