/**
 * Changes of a connection that the user makes without a request of the app, such as a pause, and the history of what
 * was agreed.
 */
export const statements = [
  // `agreed_scopes` is null in rows that an older version wrote: then the scopes in `held_scopes` count as agreed.
  `ALTER TABLE connections ADD COLUMN agreed_scopes text[], ADD COLUMN paused_at timestamptz(3),
     ADD COLUMN paused_until timestamptz(3)`,
  `CREATE TABLE consent_history (
    user_id text NOT NULL,
    connection_id text NOT NULL,
    -- from 1, in the order in which the changes were made
    entry integer NOT NULL,
    at timestamptz(3) NOT NULL,
    change text NOT NULL,
    scopes text[] NOT NULL,
    place_ids text[] NOT NULL,
    standard_expires_at timestamptz(3),
    sensitive_expires_at timestamptz(3),
    paused_at timestamptz(3),
    paused_until timestamptz(3),
    PRIMARY KEY (user_id, connection_id, entry)
  )`
]
