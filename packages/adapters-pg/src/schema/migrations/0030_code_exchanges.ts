/**
 * When a code was exchanged, and the values from which its refresh token was derived, so that the service can repeat an
 * answer that was lost. Earlier versions leave these columns null: the answer to an exchange that they made cannot be
 * repeated.
 */
export const statements = [
  `ALTER TABLE authorization_codes
    ADD COLUMN used_at timestamptz(3),
    ADD COLUMN nonce text,
    ADD COLUMN key_id text`
]
