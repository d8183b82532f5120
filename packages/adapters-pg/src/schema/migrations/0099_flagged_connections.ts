/**
 * An index of the few connections with a leak (decision reviews-2). Without it, the list of leaks and each view of the
 * admins' page would read all connections. Connections without a leak are not in the index, so writing them costs no
 * more than before.
 */
export const statements = [
  `CREATE INDEX connections_flagged ON connections (flagged_at, connection_id COLLATE "C")
   WHERE flagged_at IS NOT NULL`
]
