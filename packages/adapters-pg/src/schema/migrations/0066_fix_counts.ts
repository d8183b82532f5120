/** How many fixes a user has in each half hour, so that a calendar need not read the fixes. See `FixCounts`. */
export const statements = [
  `CREATE TABLE fix_counts (
    user_id text NOT NULL,
    -- the end of the half an hour, exclusive: a row is past the user's choice when this instant is
    ends_at timestamptz(3) NOT NULL,
    fixes integer NOT NULL,
    first_at timestamptz(3) NOT NULL,
    last_at timestamptz(3) NOT NULL,
    PRIMARY KEY (user_id, ends_at)
  ) WITH (fillfactor = 80)`,
  // The counts are valid only while `counted_version` equals `version`. The previous release does not write
  // `counted_version`. So the two numbers differ after the previous release has stored an upload.
  `ALTER TABLE upload_streams ADD COLUMN counted_version bigint`,
  `ALTER TABLE upload_streams ADD COLUMN counted_from timestamptz(3)`
]
