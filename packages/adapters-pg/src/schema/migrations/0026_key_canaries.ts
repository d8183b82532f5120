/**
 * An encrypted text of known content. A program that cannot decrypt it has other SECRET_KEYS than those that this
 * database is used with.
 */
export const statements = [
  `CREATE TABLE key_canaries (
    name text PRIMARY KEY,
    sealed text NOT NULL,
    sealed_at timestamptz(3) NOT NULL
  )`
]
