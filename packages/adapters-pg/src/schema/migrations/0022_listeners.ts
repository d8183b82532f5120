/**
 * Developers who listen to the events of their app, and the events that wait for them. A listener's row exists while
 * its stream is open, and the row of a waiting event normally for seconds only. The rows that a crashed server leaves
 * behind are deleted later.
 */
export const statements = [
  `CREATE TABLE listeners (
    app_id text NOT NULL,
    listener_id text NOT NULL,
    endpoint_id text,
    events text[] NOT NULL,
    created_at timestamptz(3) NOT NULL,
    seen_until timestamptz(3) NOT NULL,
    dropped integer NOT NULL,
    PRIMARY KEY (app_id, listener_id)
  )`,
  `CREATE INDEX listeners_by_age ON listeners (seen_until)`,
  `CREATE TABLE listener_events (
    app_id text NOT NULL,
    listener_id text NOT NULL,
    event_id text NOT NULL,
    user_id text NOT NULL,
    envelope jsonb NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    max_event_age_s integer,
    created_at timestamptz(3) NOT NULL,
    position integer NOT NULL,
    is_told boolean NOT NULL,
    PRIMARY KEY (app_id, listener_id, event_id)
  )`
]
