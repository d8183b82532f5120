export const statements = [
  // `look_at`: when the tier sweep next checks the connection. The sweep checks connections from before this migration
  // as soon as possible.
  `ALTER TABLE connections ADD COLUMN look_at timestamptz(3), ADD COLUMN look_leased_until timestamptz(3)`,
  `UPDATE connections SET look_at = connected_at WHERE ended_at IS NULL`,
  `CREATE INDEX connections_to_look_at ON connections (look_at) WHERE ended_at IS NULL AND look_at IS NOT NULL`,
  // Each row is a notice that an app got about the end of a sensitive tier. An app gets each kind of notice once for
  // every end date.
  `CREATE TABLE tier_notices (
    user_id text NOT NULL,
    connection_id text NOT NULL,
    sensitive_expires_at timestamptz(3) NOT NULL,
    kind text NOT NULL,
    told_at timestamptz(3) NOT NULL,
    PRIMARY KEY (user_id, connection_id, sensitive_expires_at, kind)
  )`,
  // For retention, which deletes access tokens by age, and refresh tokens by the time of their revocation.
  `CREATE INDEX access_tokens_by_age ON access_tokens (issued_at)`,
  `CREATE INDEX refresh_tokens_by_revocation ON refresh_tokens (revoked_at) WHERE revoked_at IS NOT NULL`,
  // `dead_at`: from this time on, retention may delete the code. Null while the tokens that an exchanged code issued
  // are valid, because a second exchange of the code revokes them.
  `ALTER TABLE authorization_codes ADD COLUMN dead_at timestamptz(3)`,
  `UPDATE authorization_codes SET dead_at = created_at WHERE family_id IS NULL`,
  `CREATE INDEX authorization_codes_by_death ON authorization_codes (dead_at) WHERE dead_at IS NOT NULL`,
  // The link in a message, and how far the sending of the message has come.
  `ALTER TABLE mail_outbox
    ADD COLUMN link_site text,
    ADD COLUMN link_path text,
    ADD COLUMN link_label text,
    ADD COLUMN attempts integer NOT NULL DEFAULT 0,
    ADD COLUMN due_at timestamptz(3),
    ADD COLUMN given_up_at timestamptz(3),
    ADD COLUMN last_error text`,
  `UPDATE mail_outbox SET due_at = created_at`,
  `ALTER TABLE mail_outbox ALTER COLUMN due_at SET NOT NULL`,
  `CREATE INDEX mail_outbox_due ON mail_outbox (due_at) WHERE sent_at IS NULL AND given_up_at IS NULL`
]
