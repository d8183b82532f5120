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
  `CREATE INDEX budgets_by_age ON budgets (last_at)`
]
