/**
 * An index of the events of the outbox in the order in which workers read them: due time, time of the event, id.
 * With the previous index, every read had to sort all waiting events.
 */
export const statements = [
  `DROP INDEX events_pending`,
  `CREATE INDEX events_pending ON events (fan_out_due_at, occurred_at, event_id COLLATE "C") WHERE fanned_out_at IS NULL`
]
