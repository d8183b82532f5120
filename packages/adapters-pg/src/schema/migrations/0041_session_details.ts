/** The browser and the address of a session, which its owner sees, and when the session was last used. */
export const statements = [
  // Null: a version of the service that did not store these values opened the session.
  `ALTER TABLE sessions ADD COLUMN seen_at timestamptz(3)`,
  `ALTER TABLE sessions ADD COLUMN browser text`,
  `ALTER TABLE sessions ADD COLUMN address text`
]
