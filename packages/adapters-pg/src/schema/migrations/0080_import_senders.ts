/**
 * The devices of other imports that brought a row too: one of them gets the row when the import that stored the row is
 * undone.
 */
export const statements = [
  `ALTER TABLE fixes ADD COLUMN also_from text[]`,
  `ALTER TABLE visit_reports ADD COLUMN also_from text[]`
]
