export const statements = [
  `CREATE TABLE rules (
    user_id text NOT NULL,
    rule_id text NOT NULL,
    connection_id text NOT NULL,
    app_id text NOT NULL,
    type text NOT NULL,
    -- a place rule has a place_id; a zone rule has lat, lon, radius_m and label
    place_id text,
    lat double precision,
    lon double precision,
    radius_m double precision,
    label text,
    dwell_minutes integer,
    webhook_url text,
    active_from timestamptz(3),
    active_until timestamptz(3),
    max_event_age_s integer,
    created_at timestamptz(3) NOT NULL,
    -- when it was noted that the rule does not stand; whether it does is asked of places, shares and scopes each time
    disabled_at timestamptz(3),
    deleted_at timestamptz(3),
    PRIMARY KEY (user_id, rule_id),
    CHECK ((place_id IS NULL) = (lat IS NOT NULL AND lon IS NOT NULL AND radius_m IS NOT NULL AND label IS NOT NULL))
  )`,
  `CREATE INDEX rules_standing ON rules (user_id, connection_id) WHERE deleted_at IS NULL`,
  `CREATE TABLE rule_states (
    user_id text NOT NULL,
    rule_id text NOT NULL,
    side text,
    since timestamptz(3),
    dwell_spent boolean NOT NULL,
    as_of timestamptz(3),
    last_fired_at timestamptz(3),
    basis text NOT NULL,
    PRIMARY KEY (user_id, rule_id)
  ) WITH (fillfactor = 70)`,
  // The outbox: events wait here until a worker turns them into deliveries.
  `CREATE TABLE events (
    user_id text NOT NULL,
    event_id text NOT NULL,
    connection_id text NOT NULL,
    app_id text NOT NULL,
    payload jsonb NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    webhook_url text,
    max_event_age_s integer,
    created_at timestamptz(3) NOT NULL,
    fan_out_due_at timestamptz(3) NOT NULL,
    fanned_out_at timestamptz(3),
    PRIMARY KEY (user_id, event_id)
  )`,
  `CREATE INDEX events_pending ON events (fan_out_due_at, created_at) WHERE fanned_out_at IS NULL`
]
