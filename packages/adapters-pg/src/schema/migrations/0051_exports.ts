/**
 * The archives that people download of their own data: a row for each archive, and its encrypted bytes in pieces.
 */
export const statements = [
  `CREATE TABLE exports (
    user_id text NOT NULL,
    export_id text NOT NULL,
    state text NOT NULL,
    requested_at timestamptz(3) NOT NULL,
    done integer NOT NULL DEFAULT 0,
    total integer NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    pieces integer NOT NULL DEFAULT 0,
    ready_at timestamptz(3),
    expires_at timestamptz(3),
    fault text,
    ended_at timestamptz(3),
    lease text,
    leased_until timestamptz(3),
    attempts integer NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, export_id)
  )`,
  // A person has at most one unfinished archive, even if a program has a mistake.
  `CREATE UNIQUE INDEX exports_one_open ON exports (user_id) WHERE state IN ('requested', 'making')`,
  `CREATE INDEX exports_to_do ON exports (requested_at) WHERE state IN ('requested', 'making')`,
  `CREATE INDEX exports_by_expiry ON exports (expires_at) WHERE state = 'ready'`,
  `CREATE INDEX exports_by_end ON exports (ended_at) WHERE ended_at IS NOT NULL`,
  // The pieces of an archive. `sealed` is encrypted under SECRET_KEYS.
  `CREATE TABLE export_pieces (
    user_id text NOT NULL,
    export_id text NOT NULL,
    position integer NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (user_id, export_id, position)
  )`,
  // Compressed and encrypted bytes do not compress again.
  `ALTER TABLE export_pieces ALTER COLUMN sealed SET STORAGE EXTERNAL`
]
