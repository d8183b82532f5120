/**
 * `also_from`: the devices of other imports whose files contain the same row. When the import that stored the row is
 * undone, one of these devices gets the row.
 */
export const statements = [
  `ALTER TABLE fixes ADD COLUMN also_from text[]`,
  `ALTER TABLE visit_reports ADD COLUMN also_from text[]`
]
