/**
 * From now on, stays are derived for phones that send visits, too. The previous release deletes the stays of a device
 * with `sends_visits`, so this migration clears that mark. All stays of these devices are due to be derived again.
 */
export const statements = [
  `UPDATE devices SET sends_visits = false, stays_due_from = timestamptz '2010-01-01 00:00:00+00' WHERE sends_visits`
]
