/** Tables that count calls, for limits. */
export const statements = [
  // The calls of a connection that count against a budget, in order of time. Unlike `rate_windows`, the table is in the
  // write-ahead log (WAL): the budget protects where a person was, and a crash must not give an app a new budget.
  `CREATE TABLE budgets (
    user_id text NOT NULL,
    connection_id text NOT NULL,
    budget text NOT NULL,
    calls timestamptz(3)[] NOT NULL,
    last_at timestamptz(3) NOT NULL,
    PRIMARY KEY (user_id, connection_id, budget)
  )`,
  `CREATE INDEX budgets_by_age ON budgets (last_at)`,
  // Every call writes to this table, and most rows matter for a minute only. So the table is unlogged and costs no WAL.
  // A crash empties it, which opens a new window for everybody and harms nobody. The fill factor leaves room on each
  // page, so that counting moves no row to another page.
  `CREATE UNLOGGED TABLE rate_windows (
    subject text COLLATE "C" PRIMARY KEY,
    ends_at timestamptz(3) NOT NULL,
    used integer NOT NULL
  ) WITH (fillfactor = 50)`,
  `CREATE INDEX rate_windows_by_age ON rate_windows (ends_at)`
]
