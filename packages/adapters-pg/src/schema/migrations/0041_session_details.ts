/** The browser and the address of a session, which its owner sees, and when the session was last used. */
export const statements = [
  // All three are null in a session that an earlier release opened: then `created_at` counts as the last use, and the
  // browser and the address are unknown. `browser` is also null when the sign-in request named no known browser.
  `ALTER TABLE sessions ADD COLUMN seen_at timestamptz(3)`,
  `ALTER TABLE sessions ADD COLUMN browser text`,
  `ALTER TABLE sessions ADD COLUMN address text`
]
