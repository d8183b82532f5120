/** Devices that stay at home, and the fixes that they sent. */
export const statements = [
  // True when the owner said that nobody carries the device.
  `ALTER TABLE devices ADD COLUMN stays_at_home boolean NOT NULL DEFAULT false`,
  // True for a fix of a device that its owner had left behind: it is history, and decides nothing about the owner.
  // Fixes from before this migration keep their effect.
  `ALTER TABLE fixes ADD COLUMN left_behind boolean NOT NULL DEFAULT false`
]
