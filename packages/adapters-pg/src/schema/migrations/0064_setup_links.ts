/** The links at which a phone's app fetches its settings once. */
export const statements = [
  // The SHA-256 of the link's key. Null: the device has no link, or the link was used.
  `ALTER TABLE devices ADD COLUMN setup_hash text`,
  `ALTER TABLE devices ADD COLUMN setup_until timestamptz`
]
