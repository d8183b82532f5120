/** What a session's owner sees of it, and its last use. */
export const statements = [
  // Null: the session was opened by a version of the service that did not keep it.
  `ALTER TABLE sessions ADD COLUMN seen_at timestamptz(3)`,
  `ALTER TABLE sessions ADD COLUMN browser text`,
  `ALTER TABLE sessions ADD COLUMN address text`
]
