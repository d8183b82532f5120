/** Tables of the past and present circles of places (`place_shapes`), and of the stays derived from fixes (`stays`). */
export const statements = [
  `CREATE TABLE place_shapes (
    user_id text NOT NULL,
    place_id text NOT NULL,
    geometry_version integer NOT NULL,
    -- null: from ever
    valid_from timestamptz(3),
    lat double precision NOT NULL,
    lon double precision NOT NULL,
    radius_m double precision NOT NULL,
    PRIMARY KEY (user_id, place_id, geometry_version)
  )`,
  `INSERT INTO place_shapes (user_id, place_id, geometry_version, valid_from, lat, lon, radius_m)
   SELECT user_id, place_id, geometry_version, NULL, lat, lon, radius_m FROM places`,
  `CREATE TABLE stays (
    user_id text NOT NULL,
    place_id text NOT NULL,
    device_id text NOT NULL,
    arrival timestamptz(3) NOT NULL,
    -- null: nothing decisive outside came yet
    departure timestamptz(3),
    PRIMARY KEY (user_id, place_id, device_id, arrival)
  )`,
  // One row for each device and place whose stays must still be derived from the earlier fixes of the device.
  `CREATE TABLE stay_backfills (
    user_id text NOT NULL,
    device_id text NOT NULL,
    place_id text NOT NULL,
    due_from timestamptz(3) NOT NULL,
    PRIMARY KEY (user_id, device_id, place_id)
  )`,
  // `stays_due_from`: from the fixes since this time, the stays of the device must still be derived. Null: the stays of
  // the device are up to date, except those that `stay_backfills` names.
  `ALTER TABLE devices ADD COLUMN stays_due_from timestamptz(3)`,
  // `sends_visits`: true for a phone that sends visits. Until migration 0031, the visits of such a phone were its
  // stays, and no stays were derived from its fixes.
  `ALTER TABLE devices ADD COLUMN sends_visits boolean NOT NULL DEFAULT false`,
  `UPDATE devices SET sends_visits = true
   FROM visit_reports r WHERE r.user_id = devices.user_id AND r.device_id = devices.device_id`,
  `UPDATE devices SET stays_due_from = timestamptz '2010-01-01 00:00:00+00' WHERE last_seen_at IS NOT NULL`,
  `CREATE INDEX devices_behind ON devices (stays_due_from) WHERE stays_due_from IS NOT NULL`,
  `CREATE INDEX visit_reports_by_arrival ON visit_reports (user_id, device_id, arrival)`,
  `CREATE INDEX visit_reports_by_departure ON visit_reports (user_id, device_id, departure) WHERE arrival IS NULL`
]
