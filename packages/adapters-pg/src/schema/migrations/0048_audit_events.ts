/** Security events, and what staff and operators did. */
export const statements = [
  // `user_id` is the account that the event is about; the row is deleted with that account. '-' stands in events that
  // are about no account, such as a sign-in with an unknown e-mail address.
  `CREATE TABLE audit_events (
    -- '-': no account, or none that exists
    user_id text NOT NULL,
    -- it orders events of one millisecond, and says nothing else
    event_id text NOT NULL DEFAULT gen_random_uuid()::text,
    at timestamptz(3) NOT NULL,
    kind text NOT NULL,
    -- Owner, Staff, Operator or Stranger
    actor text NOT NULL,
    -- the account of a member of staff
    actor_id text,
    detail jsonb NOT NULL,
    kept_until timestamptz(3) NOT NULL,
    PRIMARY KEY (user_id, event_id)
  )`,
  `CREATE INDEX audit_events_by_time ON audit_events (at DESC, event_id COLLATE "C" DESC)`,
  `CREATE INDEX audit_events_by_age ON audit_events (kept_until)`,
  `CREATE INDEX audit_events_by_actor ON audit_events (actor_id) WHERE actor_id IS NOT NULL`
]
