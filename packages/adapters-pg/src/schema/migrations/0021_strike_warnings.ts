/** Warnings to developers about endpoints that fail. */
export const statements = [
  // Warnings whose mail is not in the outbox yet. A row of the outbox is stored with its person and a row of this table
  // with its app, on a cluster perhaps on another node. So a worker writes the mail in a second transaction, and then
  // deletes the row.
  `CREATE TABLE strike_warnings (
    app_id text NOT NULL,
    -- whose end it was
    delivery_id text NOT NULL,
    endpoint_id text NOT NULL,
    strikes integer NOT NULL,
    warned_at timestamptz(3) NOT NULL,
    PRIMARY KEY (app_id, delivery_id)
  )`,
  // The links of a message besides `link_path`, as [{site, path, label}].
  `ALTER TABLE mail_outbox ADD COLUMN further_links jsonb`
]
