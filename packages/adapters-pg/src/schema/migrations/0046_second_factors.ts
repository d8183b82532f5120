/** Second factors: passkeys, apps for one-time codes, recovery codes, and requests to remove them. */
export const statements = [
  // Every node of a cluster has a copy of these tables, as of `sessions`: each table is read together with the account,
  // and a sign-in looks up one account.
  `CREATE TABLE passkeys (
    user_id text NOT NULL REFERENCES accounts (user_id) ON DELETE CASCADE,
    -- the authenticator's own id of the key, base64url
    passkey_id text NOT NULL,
    name text NOT NULL,
    -- COSE key, base64url
    public_key text NOT NULL,
    -- signatures, as the authenticator counts them; 0: it does not
    counter bigint NOT NULL,
    created_at timestamptz(3) NOT NULL,
    used_at timestamptz(3),
    PRIMARY KEY (user_id, passkey_id)
  )`,
  `CREATE TABLE code_apps (
    user_id text PRIMARY KEY REFERENCES accounts (user_id) ON DELETE CASCADE,
    -- encrypted under SECRET_KEYS
    secret text NOT NULL,
    -- null: it counts for nothing yet
    confirmed_at timestamptz(3),
    -- the time step of the last code that was accepted
    used_step bigint NOT NULL
  )`,
  `CREATE TABLE recovery_codes (
    user_id text NOT NULL REFERENCES accounts (user_id) ON DELETE CASCADE,
    code_hash text NOT NULL,
    PRIMARY KEY (user_id, code_hash)
  )`,
  `CREATE TABLE factor_removals (
    user_id text PRIMARY KEY REFERENCES accounts (user_id) ON DELETE CASCADE,
    requested_at timestamptz(3) NOT NULL
  )`
]
