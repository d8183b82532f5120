/**
 * Flags of apps that made more than twice as many calls as they had declared, and the index for counting the calls
 * every hour.
 */
export const statements = [
  // An index of the answered calls with a purpose, by time. The rows of a day are next to each other in the table, so
  // an index that also has the counted columns would be five times as large and no faster.
  `CREATE INDEX access_log_uses ON access_log (at) WHERE purpose IS NOT NULL AND error IS NULL`,
  `CREATE TABLE volume_flags (
    user_id text NOT NULL,
    connection_id text COLLATE "C" NOT NULL,
    purpose text COLLATE "C" NOT NULL,
    counted_to timestamptz(3) NOT NULL,
    counted_from timestamptz(3) NOT NULL,
    app_id text NOT NULL,
    purpose_id text NOT NULL,
    calls integer NOT NULL,
    expected_daily_volume integer NOT NULL,
    PRIMARY KEY (user_id, connection_id, purpose, counted_to)
  )`,
  `CREATE INDEX volume_flags_by_age ON volume_flags (counted_to, connection_id, purpose)`
]
