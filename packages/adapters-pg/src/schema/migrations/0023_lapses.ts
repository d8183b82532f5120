/** Counts lapsed leases, so that a delivery which crashes its worker at each attempt is given up in the end. */
export const statements = [
  // How many leases ran out one after the other during the present attempt. The column is read only after a lease has
  // run out.
  `ALTER TABLE deliveries ADD COLUMN lapses integer NOT NULL DEFAULT 0`
]
