/** What ends a worker every time it is taken up must not do so for ever. */
export const statements = [
  // How many leases in a row ran out on the present attempt; looked at only where a lease has run out.
  `ALTER TABLE deliveries ADD COLUMN lapses integer NOT NULL DEFAULT 0`
]
