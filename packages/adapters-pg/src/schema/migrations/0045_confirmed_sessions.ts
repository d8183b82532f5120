/** When the owner of a session last proved who they are. */
export const statements = [
  // Null: a version of the service that did not store the time opened the session. Then the sign-in was the last proof.
  `ALTER TABLE sessions ADD COLUMN confirmed_at timestamptz(3)`
]
