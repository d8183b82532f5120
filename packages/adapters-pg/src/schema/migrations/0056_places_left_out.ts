/**
 * How many places of an archive an import did not store, because the account had reached its limit of places, and the
 * names of the first of these places.
 */
export const statements = [
  `ALTER TABLE imports ADD COLUMN over_limit integer NOT NULL DEFAULT 0`,
  `ALTER TABLE imports ADD COLUMN left_out text[] NOT NULL DEFAULT '{}'`
]
