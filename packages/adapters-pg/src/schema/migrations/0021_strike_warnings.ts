/** Endpoints that fail. */
export const statements = [
  // What their developers are to be told: a row until the mail is in the outbox, which is a person's.
  `CREATE TABLE strike_warnings (
    app_id text NOT NULL,
    -- whose end it was
    delivery_id text NOT NULL,
    endpoint_id text NOT NULL,
    strikes integer NOT NULL,
    warned_at timestamptz(3) NOT NULL,
    PRIMARY KEY (app_id, delivery_id)
  )`,
  // [{site, path, label}]: where a message leads besides link_path.
  `ALTER TABLE mail_outbox ADD COLUMN further_links jsonb`
]
