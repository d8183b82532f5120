/** The end of the history of an imported file. */
export const statements = [
  // The time of the newest entry of an imported file. Null for a phone, whose history goes on, and for a file that
  // brought nothing new.
  `ALTER TABLE devices ADD COLUMN history_ends_at timestamptz(3)`,
  `UPDATE devices d SET history_ends_at = greatest(
     (SELECT max(captured_at) FROM fixes f WHERE f.user_id = d.user_id AND f.device_id = d.device_id),
     (SELECT max(coalesce(departure, arrival)) FROM visit_reports r WHERE r.user_id = d.user_id AND r.device_id = d.device_id))
   WHERE format = 'import'`
]
