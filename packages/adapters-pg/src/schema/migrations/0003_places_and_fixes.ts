export const statements = [
  `CREATE TABLE places (
    user_id text NOT NULL,
    place_id text NOT NULL,
    label text NOT NULL,
    kind text NOT NULL,
    lat double precision NOT NULL,
    lon double precision NOT NULL,
    radius_m double precision NOT NULL,
    geometry_version integer NOT NULL,
    created_at timestamptz(3) NOT NULL,
    archived_at timestamptz(3),
    PRIMARY KEY (user_id, place_id)
  )`,
  `CREATE TABLE devices (
    user_id text NOT NULL,
    device_id text NOT NULL,
    name text NOT NULL,
    format text NOT NULL,
    token_hash text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    last_seen_at timestamptz(3),
    removed_at timestamptz(3),
    PRIMARY KEY (user_id, device_id)
  )`,
  `CREATE UNIQUE INDEX devices_by_token ON devices (user_id, token_hash)`,
  // An upload is stored only while `version` is the one that the upload read. So two uploads of a user cannot overwrite
  // each other.
  `CREATE TABLE upload_streams (
    user_id text PRIMARY KEY,
    version bigint NOT NULL
  )`,
  `CREATE TABLE fixes (
    user_id text NOT NULL,
    captured_at timestamptz(3) NOT NULL,
    device_id text NOT NULL,
    lat double precision NOT NULL,
    lon double precision NOT NULL,
    accuracy_m double precision,
    altitude_m double precision,
    speed_mps double precision,
    course_deg double precision,
    received_at timestamptz(3) NOT NULL,
    PRIMARY KEY (user_id, captured_at, device_id, lat, lon)
  ) PARTITION BY RANGE (captured_at)`,
  `CREATE TABLE fixes_default PARTITION OF fixes DEFAULT`,
  // Quarantined readings are not stored in `fixes`: a reading with a time in the year 2050 would be in the DEFAULT
  // partition of `fixes`, and the partition of that month could not be attached as long as the row is there.
  `CREATE TABLE quarantined_fixes (
    user_id text NOT NULL,
    device_id text NOT NULL,
    -- the numbers as sent, in words: the same reading again is no second row
    reading_key text NOT NULL,
    reason text NOT NULL,
    reading jsonb NOT NULL,
    received_at timestamptz(3) NOT NULL,
    PRIMARY KEY (user_id, device_id, reading_key)
  )`,
  `CREATE TABLE visit_reports (
    user_id text NOT NULL,
    device_id text NOT NULL,
    report_key text NOT NULL,
    arrival timestamptz(3),
    departure timestamptz(3),
    lat double precision NOT NULL,
    lon double precision NOT NULL,
    accuracy_m double precision,
    received_at timestamptz(3) NOT NULL,
    PRIMARY KEY (user_id, device_id, report_key)
  )`
]
