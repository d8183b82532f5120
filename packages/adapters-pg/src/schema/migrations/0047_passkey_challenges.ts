/** Challenges that passkeys answer, each once and within five minutes. A row does not name a person. */
export const statements = [
  `CREATE TABLE passkey_challenges (
    challenge_hash text PRIMARY KEY,
    expires_at timestamptz(3) NOT NULL
  )`,
  `CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_at)`
]
