/**
 * Indexes of the times that quarantined readings and visit reports state. The deletion of a stretch of history reads
 * them (`Erasures.mayComeFrom`). Without them, it would read all quarantined readings of the person while the person's
 * rows are locked.
 */
export const statements = [
  `CREATE INDEX quarantined_fixes_said ON quarantined_fixes (user_id, (
     CASE WHEN jsonb_typeof(reading -> 'capturedAt') = 'number' THEN (reading -> 'capturedAt')::numeric
          WHEN jsonb_typeof(reading -> 'arrival') = 'number' THEN (reading -> 'arrival')::numeric END),
     timezone('UTC', received_at))`,
  // Few rows: only visit reports have a departure.
  `CREATE INDEX quarantined_fixes_departure ON quarantined_fixes (user_id, (
     CASE WHEN jsonb_typeof(reading -> 'departure') = 'number' THEN (reading -> 'departure')::numeric END),
     timezone('UTC', received_at))
   WHERE CASE WHEN jsonb_typeof(reading -> 'departure') = 'number' THEN (reading -> 'departure')::numeric END
     IS NOT NULL`
]
