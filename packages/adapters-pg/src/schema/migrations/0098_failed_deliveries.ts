/**
 * An index of the deliveries that failed or were too old, by state, in the order of the developer's log. The filters of
 * the log for these states and *Recover* read it. Without it, they would read all deliveries of the app to find the few
 * that failed (decision deliveries-20). A delivery that has not failed is not in the index.
 */
export const statements = [
  `CREATE INDEX deliveries_log_failed ON deliveries (app_id, state, created_at, delivery_id COLLATE "C")
   WHERE state IN ('failed', 'too_old')`
]
