/** Tables of an app's deliveries: `app_id` is the first column of every key. */
export const statements = [
  `CREATE TABLE endpoints (
    app_id text NOT NULL,
    endpoint_id text NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    description text,
    disabled_at timestamptz(3),
    epoch integer NOT NULL,
    strikes integer NOT NULL,
    secrets jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (app_id, endpoint_id)
  )`,
  `CREATE TABLE deliveries (
    app_id text NOT NULL,
    delivery_id text NOT NULL,
    endpoint_id text NOT NULL,
    endpoint_epoch integer NOT NULL,
    event_id text NOT NULL,
    replay_no integer NOT NULL,
    is_test boolean NOT NULL,
    user_id text,
    -- type, occurred_at and the rest of what the body is made of
    envelope jsonb NOT NULL,
    type text NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    max_event_age_s integer,
    state text NOT NULL,
    fail_reason text,
    attempt integer NOT NULL,
    due_at timestamptz(3),
    lease text,
    leased_until timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3),
    PRIMARY KEY (app_id, delivery_id),
    UNIQUE (app_id, event_id, endpoint_id, replay_no),
    CHECK ((state = 'trying') = (due_at IS NOT NULL))
  ) WITH (fillfactor = 80)`,
  `CREATE INDEX deliveries_waiting ON deliveries (app_id, endpoint_id, due_at) WHERE state = 'trying'`,
  // For counting the deliveries of an endpoint that are in flight. The index contains only deliveries that have a
  // lease, so the index is small.
  `CREATE INDEX deliveries_leased ON deliveries (app_id, endpoint_id) WHERE leased_until IS NOT NULL`,
  `CREATE INDEX deliveries_log ON deliveries (app_id, created_at, delivery_id COLLATE "C")`,
  `CREATE TABLE delivery_attempts (
    app_id text NOT NULL,
    delivery_id text NOT NULL,
    attempt integer NOT NULL,
    started_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3) NOT NULL,
    status integer,
    error text,
    snippet text,
    PRIMARY KEY (app_id, delivery_id, attempt, started_at)
  ) PARTITION BY RANGE (started_at)`,
  `CREATE TABLE delivery_attempts_default PARTITION OF delivery_attempts DEFAULT`
]
