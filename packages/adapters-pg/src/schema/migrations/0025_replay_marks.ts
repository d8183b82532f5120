/** Marks a delivery as replayed in its own row, so that retention may delete the row of the replay. */
export const statements = [
  `ALTER TABLE deliveries ADD COLUMN is_replayed boolean NOT NULL DEFAULT false`,
  // Replays are few, and the unique index on app, event, endpoint and replay number finds the originals.
  `UPDATE deliveries d SET is_replayed = true
   FROM (SELECT DISTINCT app_id, event_id, endpoint_id, replay_no FROM deliveries WHERE replay_no > 0) later
   WHERE d.app_id = later.app_id AND d.event_id = later.event_id AND d.endpoint_id = later.endpoint_id
     AND d.replay_no < later.replay_no`
]
