/**
 * Indexes of the tokens that the end of a connection marks as revoked: refresh tokens that are not spent, and access
 * tokens by their age (decision O6). A connection can have millions of spent and expired tokens, which the previous
 * indexes contained too.
 */
export const statements = [
  `DROP INDEX access_tokens_by_connection`,
  `CREATE INDEX access_tokens_by_connection ON access_tokens (user_id, connection_id, issued_at)
   WHERE revoked_at IS NULL`,
  `DROP INDEX refresh_tokens_by_connection`,
  `CREATE INDEX refresh_tokens_by_connection ON refresh_tokens (user_id, connection_id)
   WHERE revoked_at IS NULL AND rotated_at IS NULL`
]
