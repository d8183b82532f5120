/** Links that prove by mail who owns an account, and the encrypted end of a mailed link. */
export const statements = [
  // Every node of a cluster has a copy of this table, as of `sessions`: a request names only the link, and the row says
  // whose link it is.
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
  // A session is valid only while its `password_version` equals that of its account. Null counts as equal: a session
  // that an earlier release opened has null, and stays valid until it expires or is deleted.
  `ALTER TABLE accounts ADD COLUMN password_version integer NOT NULL DEFAULT 0`,
  `ALTER TABLE sessions ADD COLUMN password_version integer`,
  // The secret end of the mailed link, encrypted under SECRET_KEYS. The secret is removed when the message was sent or
  // given up.
  `ALTER TABLE mail_outbox ADD COLUMN link_secret text`
]
