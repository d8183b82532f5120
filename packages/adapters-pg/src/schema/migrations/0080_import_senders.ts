/**
 * The devices of the other imports that brought the same row. When the import that stored the row is undone, one of
 * these devices gets the row.
 */
export const statements = [
  `ALTER TABLE fixes ADD COLUMN also_from text[]`,
  `ALTER TABLE visit_reports ADD COLUMN also_from text[]`
]
