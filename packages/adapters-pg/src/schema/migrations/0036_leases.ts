/** The workers of this database, and which worker works at what. */
export const statements = [
  `CREATE TABLE workers (
    worker_id text NOT NULL PRIMARY KEY,
    alive_until timestamptz(3) NOT NULL
  )`,
  // Few rows that change often: room in the page keeps the changes out of the index.
  `CREATE TABLE leases (
    home text NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    owner text,
    token bigint NOT NULL,
    PRIMARY KEY (home, kind, name)
  ) WITH (fillfactor = 50)`
]
