/** Counts, for each person, the messages in which an app is named. */
export const statements = [
  // Each row belongs to a person and is deleted with the person's account.
  `CREATE TABLE named_mail (
    user_id text NOT NULL PRIMARY KEY,
    -- of the messages that count
    named_at timestamptz(3)[] NOT NULL,
    -- of the message that stands for what was beyond the limit
    folded_at timestamptz(3),
    -- of the last message about a leak that names no app
    leak_folded_at timestamptz(3),
    -- the newest of all, by which the row is removed
    last_at timestamptz(3) NOT NULL
  )`,
  `CREATE INDEX named_mail_by_age ON named_mail (last_at)`
]
