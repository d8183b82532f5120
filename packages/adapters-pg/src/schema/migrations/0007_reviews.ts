/** Columns, tables and indexes for reviews of apps and purposes, and for revoking apps. */
export const statements = [
  // `revision` counts the changes of the text that a reviewer reads. While a submission waits for a decision,
  // `submitted_at` and `submitted_revision` are set; otherwise both are null.
  ...["apps", "purposes"].map(
    (table) => `ALTER TABLE ${table}
      ADD COLUMN revision integer NOT NULL DEFAULT 1,
      ADD COLUMN submitted_at timestamptz(3),
      ADD COLUMN submitted_revision integer,
      ADD CHECK ((submitted_at IS NULL) = (submitted_revision IS NULL))`
  ),
  `CREATE INDEX apps_submitted ON apps (submitted_at, app_id COLLATE "C") WHERE submitted_at IS NOT NULL`,
  `CREATE INDEX purposes_submitted ON purposes (submitted_at, purpose_id COLLATE "C") WHERE submitted_at IS NOT NULL`,
  // Reviewers look up a purpose by its id alone.
  `CREATE UNIQUE INDEX purposes_by_id ON purposes (purpose_id)`,
  `CREATE INDEX apps_by_age ON apps (created_at, app_id COLLATE "C")`,
  // A row for each decision: who decided what, when, and why. A decision never changes; deleting a reviewer's account
  // replaces `decided_by`.
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
  // For the connections of a revoked app that have not ended yet. Ended connections may be many, so the index
  // leaves them out.
  `CREATE INDEX connections_unended ON connections (app_id, connection_id COLLATE "C") WHERE ended_at IS NULL`,
  `CREATE INDEX apps_revoked ON apps (app_id) WHERE revoked_at IS NOT NULL`
]
