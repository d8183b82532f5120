/** What an app asked about zones of its own. */
export const statements = [
  // [{lat, lon, radiusM, askedAt}]: the circles of the last day, for the row of a person and an app. Its connection_id
  // is the app's id: programs from before this keep rows of connections beside it.
  `ALTER TABLE budgets ADD COLUMN circles jsonb NOT NULL DEFAULT '[]'`
]
