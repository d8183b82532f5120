/**
 * When a phone reported its first visit. The service asks a phone to report visits only until it has reported one
 * (decision devices-8), and the reports themselves are deleted with the history. The UPDATE is for Overland only,
 * because the service can ask no phone with another app.
 */
export const statements = [
  `ALTER TABLE devices ADD COLUMN visits_told_at timestamptz(3)`,
  `UPDATE devices d SET visits_told_at = d.created_at
   WHERE d.format = 'overland' AND EXISTS (
     SELECT 1 FROM visit_reports r WHERE r.user_id = d.user_id AND r.device_id = d.device_id)`
]
