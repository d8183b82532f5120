/** Stretches of time whose history the owner deleted. A later upload stores nothing from within a stretch. */
export const statements = [
  `CREATE TABLE erasures (
    user_id text NOT NULL,
    from_at timestamptz(3) NOT NULL,
    until_at timestamptz(3) NOT NULL,
    erased_at timestamptz(3) NOT NULL,
    PRIMARY KEY (user_id, from_at)
  )`
]
