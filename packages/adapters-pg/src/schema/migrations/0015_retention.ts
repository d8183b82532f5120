/** How long people keep their history, the deletion of accounts, and indexes with which retention finds old rows. */
export const statements = [
  `CREATE TABLE history_choices (
    user_id text PRIMARY KEY,
    -- null: for ever
    keep_days integer,
    chosen_at timestamptz(3) NOT NULL,
    CHECK (keep_days IN (30, 90, 365))
  )`,
  // Deleted accounts that still have rows in other tables. The row in `accounts` was deleted, so the id identifies
  // nobody.
  `CREATE TABLE account_deletions (
    user_id text PRIMARY KEY,
    requested_at timestamptz(3) NOT NULL,
    look_at timestamptz(3) NOT NULL,
    -- apps that nobody else could connect
    app_ids text[] NOT NULL
  )`,
  // For deleting the sessions of an account.
  `CREATE INDEX sessions_by_user ON sessions (user_id)`,
  // The address to which the message is sent; null: the address of the reader's account. The column is cleared once the
  // message was sent or given up.
  `ALTER TABLE mail_outbox ADD COLUMN address text`,
  `CREATE INDEX mail_outbox_by_age ON mail_outbox (created_at)`,
  // For retention: every hour a worker looks for people with rows that are older than they chose to keep.
  `CREATE INDEX quarantined_fixes_by_age ON quarantined_fixes (user_id, received_at)`,
  `CREATE INDEX visit_reports_by_end ON visit_reports (user_id, (coalesce(departure, arrival)))`,
  `CREATE INDEX stays_by_end ON stays (user_id, (coalesce(departure, arrival)))`,
  `CREATE INDEX deliveries_delivered ON deliveries (ended_at) WHERE state = 'delivered'`,
  `CREATE INDEX deliveries_failed ON deliveries (ended_at) WHERE state IN ('failed', 'too_old')`,
  `CREATE INDEX events_fanned_out ON events (fanned_out_at) WHERE fanned_out_at IS NOT NULL`
]
