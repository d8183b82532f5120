/** Places of an archive for which an account had no room: how many, and the names of the first ones. */
export const statements = [
  `ALTER TABLE imports ADD COLUMN over_limit integer NOT NULL DEFAULT 0`,
  `ALTER TABLE imports ADD COLUMN left_out text[] NOT NULL DEFAULT '{}'`
]
