/** Devices that stay at home, and the fixes that they sent. */
export const statements = [
  // True when the owner said that nobody carries the device.
  `ALTER TABLE devices ADD COLUMN stays_at_home boolean NOT NULL DEFAULT false`,
  // True for a fix that the device sent while its owner was away from it. The fix is stored as history, but no rule,
  // presence or visit uses it. Fixes from before this migration are false, so they keep their effect.
  `ALTER TABLE fixes ADD COLUMN left_behind boolean NOT NULL DEFAULT false`
]
