/** Webhooks that a developer sends again by hand, or earlier than planned. */
export const statements = [
  // `is_hurried`: a developer brought the next attempt forward, so its result does not change the strikes of the
  // endpoint.
  // `original_at`: when the first row of the event at the endpoint was made; null when this row is the first.
  `ALTER TABLE deliveries
     ADD COLUMN is_hurried boolean NOT NULL DEFAULT false,
     ADD COLUMN original_at timestamptz(3)`
]
