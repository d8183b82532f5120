/** The waiting deliveries of an endpoint in the order in which they are claimed: due time, then id. */
export const statements = [
  `DROP INDEX deliveries_waiting`,
  `CREATE INDEX deliveries_waiting ON deliveries (app_id, endpoint_id, due_at, delivery_id COLLATE "C")
    WHERE state = 'trying'`
]
