/** Numbers for developers, counted by the hour, and the log of an app's own calls. See `FiguresStore`. */
export const statements = [
  `CREATE TABLE app_hours (
    app_id text NOT NULL,
    hour timestamptz(3) NOT NULL,
    calls bigint NOT NULL,
    refused bigint NOT NULL,
    limited bigint NOT NULL,
    failed bigint NOT NULL,
    unlisted bigint NOT NULL,
    firings bigint NOT NULL,
    peak_percent integer NOT NULL,
    PRIMARY KEY (app_id, hour)
  ) WITH (fillfactor = 50)`,
  `CREATE INDEX app_hours_by_age ON app_hours (hour)`,
  // A row for each outcome of attempts and each bound of their duration, so that counting an attempt only raises a
  // number.
  `CREATE TABLE endpoint_hours (
    app_id text NOT NULL,
    endpoint_id text NOT NULL,
    hour timestamptz(3) NOT NULL,
    is_success boolean NOT NULL,
    up_to_millis integer NOT NULL,
    attempts bigint NOT NULL,
    last_at timestamptz(3) NOT NULL,
    error text,
    PRIMARY KEY (app_id, endpoint_id, hour, is_success, up_to_millis)
  ) WITH (fillfactor = 50)`,
  `CREATE INDEX endpoint_hours_by_age ON endpoint_hours (hour)`,
  `CREATE TABLE app_calls (
    app_id text NOT NULL,
    at timestamptz(3) NOT NULL,
    request_id text COLLATE "C" NOT NULL,
    endpoint text NOT NULL,
    status integer NOT NULL,
    error text,
    PRIMARY KEY (app_id, at, request_id)
  )`,
  `CREATE INDEX app_calls_refused ON app_calls (app_id, at, request_id) WHERE error IS NOT NULL`,
  `CREATE INDEX app_calls_by_age ON app_calls (at)`
]
