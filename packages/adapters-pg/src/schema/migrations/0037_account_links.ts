/** Links that prove by mail who owns an account, and the encrypted end of a mailed link. */
export const statements = [
  // A shared table like `sessions`: nobody knows whose link it is before it was looked up.
  `CREATE TABLE account_links (
    link_hash text PRIMARY KEY,
    user_id text NOT NULL REFERENCES accounts (user_id) ON DELETE CASCADE,
    -- what the link is good for
    purpose text NOT NULL,
    -- the address that it was mailed to
    email text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL
  )`,
  `CREATE INDEX account_links_by_user ON account_links (user_id)`,
  `CREATE INDEX account_links_by_expiry ON account_links (expires_at)`,
  // A session counts while its account has the version of the password that it began with. Null: it was opened by a
  // version of the service from before there was a way to replace a password.
  `ALTER TABLE accounts ADD COLUMN password_version integer NOT NULL DEFAULT 0`,
  `ALTER TABLE sessions ADD COLUMN password_version integer`,
  // Encrypted under SECRET_KEYS; removed when the message was sent or given up.
  `ALTER TABLE mail_outbox ADD COLUMN link_secret text`
]
