/**
 * Something sealed whose content is known: whoever cannot open it holds other keys than those that this database is
 * used with.
 */
export const statements = [
  `CREATE TABLE key_canaries (
    name text PRIMARY KEY,
    sealed text NOT NULL,
    sealed_at timestamptz(3) NOT NULL
  )`
]
