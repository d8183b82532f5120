/** Files of location history that users import. */
export const statements = [
  `CREATE TABLE imports (
    user_id text NOT NULL,
    import_id text NOT NULL,
    device_id text NOT NULL,
    file_name text NOT NULL,
    -- uploading until the file is whole; such rows are not shown
    state text NOT NULL,
    format text,
    entries_read integer NOT NULL DEFAULT 0,
    stored integer NOT NULL DEFAULT 0,
    duplicates integer NOT NULL DEFAULT 0,
    too_recent integer NOT NULL DEFAULT 0,
    too_old integer NOT NULL DEFAULT 0,
    quarantined integer NOT NULL DEFAULT 0,
    bytes_total bigint NOT NULL DEFAULT 0,
    bytes_done bigint NOT NULL DEFAULT 0,
    error text,
    -- while uploading: when it last grew
    uploaded_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    lease text,
    leased_until timestamptz(3),
    -- claims since it last came forward
    attempts integer NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, import_id)
  )`,
  `CREATE INDEX imports_to_do ON imports (uploaded_at) WHERE state IN ('uploading', 'waiting', 'running')`,
  `CREATE TABLE import_pieces (
    user_id text NOT NULL,
    import_id text NOT NULL,
    position integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (user_id, import_id, position)
  )`
]
