/** The devices of other imports that brought a row too: it goes to one of them when its import is undone. */
export const statements = [
  `ALTER TABLE fixes ADD COLUMN also_from text[]`,
  `ALTER TABLE visit_reports ADD COLUMN also_from text[]`
]
