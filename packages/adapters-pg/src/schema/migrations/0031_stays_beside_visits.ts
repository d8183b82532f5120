/**
 * Since this migration, the service derives stays also for phones that send visits. The previous release deletes the
 * stays of a device with `sends_visits`, so this migration clears that mark. Workers then derive all stays of these
 * devices once more.
 */
export const statements = [
  `UPDATE devices SET sends_visits = false, stays_due_from = timestamptz '2010-01-01 00:00:00+00' WHERE sends_visits`
]
