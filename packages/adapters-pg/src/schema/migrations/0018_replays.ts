/** Sending again by hand. */
export const statements = [
  // is_hurried: the attempt that is due was brought forward, and does not count.
  // original_at: when the first row of the event at the endpoint was made; null: this is it.
  `ALTER TABLE deliveries
     ADD COLUMN is_hurried boolean NOT NULL DEFAULT false,
     ADD COLUMN original_at timestamptz(3)`
]
