/**
 * An encrypted text of known content. A program that cannot decrypt this text has wrong SECRET_KEYS: the other programs
 * encrypt the secrets of this database with other keys.
 */
export const statements = [
  `CREATE TABLE key_canaries (
    name text PRIMARY KEY,
    sealed text NOT NULL,
    sealed_at timestamptz(3) NOT NULL
  )`
]
