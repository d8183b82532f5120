/** The workers of this database, and the leases by which they share the work. */
export const statements = [
  `CREATE TABLE workers (
    worker_id text NOT NULL PRIMARY KEY,
    alive_until timestamptz(3) NOT NULL
  )`,
  // The table has few rows, which change often. The fill factor leaves room on each page, so that a change need not
  // touch the index.
  `CREATE TABLE leases (
    home text NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    owner text,
    token bigint NOT NULL,
    PRIMARY KEY (home, kind, name)
  ) WITH (fillfactor = 50)`
]
