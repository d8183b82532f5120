/** Where each device rests and when it last moved, for the decision which of a person's devices is with the person. */
export const statements = [
  // The column has a position, so retention clears it together with the owner's history. Null until the device sends a
  // reading.
  `ALTER TABLE devices ADD COLUMN movement jsonb`
]
