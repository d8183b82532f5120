/** The questions that an app asked about zones. An app chooses a zone itself, unlike a place. */
export const statements = [
  // The circles that an app asked about one person in the last day, as [{lat, lon, radiusM, askedAt}]. In a row with
  // circles, `connection_id` is the app's id. Programs from before this migration store rows of real connections in the
  // same table.
  `ALTER TABLE budgets ADD COLUMN circles jsonb NOT NULL DEFAULT '[]'`
]
