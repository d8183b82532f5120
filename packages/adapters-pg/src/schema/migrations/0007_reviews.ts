/** Reviews of apps and purposes, and what revoking an app needs. */
export const statements = [
  // The revision counts changes of what a reviewer reads; submitted_* is not null exactly while a decision is waited
  // for.
  ...["apps", "purposes"].map(
    (table) => `ALTER TABLE ${table}
      ADD COLUMN revision integer NOT NULL DEFAULT 1,
      ADD COLUMN submitted_at timestamptz(3),
      ADD COLUMN submitted_revision integer,
      ADD CHECK ((submitted_at IS NULL) = (submitted_revision IS NULL))`
  ),
  `CREATE INDEX apps_submitted ON apps (submitted_at, app_id COLLATE "C") WHERE submitted_at IS NOT NULL`,
  `CREATE INDEX purposes_submitted ON purposes (submitted_at, purpose_id COLLATE "C") WHERE submitted_at IS NOT NULL`,
  // Reviewers name a purpose by its id alone.
  `CREATE UNIQUE INDEX purposes_by_id ON purposes (purpose_id)`,
  `CREATE INDEX apps_by_age ON apps (created_at, app_id COLLATE "C")`,
  // Appended to and never changed: who decided what, when, and why.
  `CREATE TABLE review_decisions (
    app_id text NOT NULL,
    decided_at timestamptz(3) NOT NULL,
    decision_id text COLLATE "C" NOT NULL,
    subject_kind text NOT NULL,
    subject_id text NOT NULL,
    -- as the decision left it
    subject jsonb NOT NULL,
    kind text NOT NULL,
    note text,
    decided_by text NOT NULL,
    PRIMARY KEY (app_id, decided_at, decision_id)
  )`,
  // What is left to end of a revoked app; its connections that have ended may be many.
  `CREATE INDEX connections_unended ON connections (app_id, connection_id COLLATE "C") WHERE ended_at IS NULL`,
  `CREATE INDEX apps_revoked ON apps (app_id) WHERE revoked_at IS NOT NULL`
]
