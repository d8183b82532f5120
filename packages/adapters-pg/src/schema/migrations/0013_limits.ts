/** What is counted to be limited. */
export const statements = [
  // The calls of a connection that count against a budget, in order of time. Logged, unlike the rates: a budget keeps a
  // secret, and a crash must not hand out a fresh one.
  `CREATE TABLE budgets (
    user_id text NOT NULL,
    connection_id text NOT NULL,
    budget text NOT NULL,
    calls timestamptz(3)[] NOT NULL,
    last_at timestamptz(3) NOT NULL,
    PRIMARY KEY (user_id, connection_id, budget)
  )`,
  `CREATE INDEX budgets_by_age ON budgets (last_at)`,
  // Written with every call and worth a minute: unlogged, so that it costs no WAL. A crash empties it, which opens a
  // new window for everybody and harms nobody. Room on the pages, so that counting moves no row.
  `CREATE UNLOGGED TABLE rate_windows (
    subject text COLLATE "C" PRIMARY KEY,
    ends_at timestamptz(3) NOT NULL,
    used integer NOT NULL
  ) WITH (fillfactor = 50)`,
  `CREATE INDEX rate_windows_by_age ON rate_windows (ends_at)`
]
