/**
 * When a code was exchanged and what its refresh token was derived with, so that an answer that was lost can be given
 * again. Earlier versions leave the three null: a code that they exchanged is not repeated.
 */
export const statements = [
  `ALTER TABLE authorization_codes
    ADD COLUMN used_at timestamptz(3),
    ADD COLUMN nonce text,
    ADD COLUMN key_id text`
]
