/**
 * Deletes work that can never be done. A row of `stay_backfills` says that the stays of a device at a place must still
 * be derived. An undo of an import deletes the import's device. Until this migration, the undo did not delete the
 * device's rows of `stay_backfills`. A worker then tried to derive these stays every five minutes without end.
 */
export const statements = [
  `DELETE FROM stay_backfills b
   WHERE NOT EXISTS (SELECT 1 FROM devices d WHERE d.user_id = b.user_id AND d.device_id = b.device_id)`
]
