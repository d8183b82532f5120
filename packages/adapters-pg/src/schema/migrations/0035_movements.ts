/** Where each device rests and when it last moved, for the decision which of a person's devices is with the person. */
export const statements = [
  // A position, so it goes with the history of its owner: housekeeping clears it. Null until the device sends a
  // reading.
  `ALTER TABLE devices ADD COLUMN movement jsonb`
]
