/** When the owner of a session last proved who they are. */
export const statements = [
  // Null: the session was opened by a version of the service that did not keep it. The sign-in was the last proof.
  `ALTER TABLE sessions ADD COLUMN confirmed_at timestamptz(3)`
]
