/**
 * Values that the page of an import shows: the columns of a CSV file, when the reading began, and how many entries were
 * read for each month.
 */
export const statements = [
  // For an imported table (CSV): which column has the time, which the latitude, and so on. Null for files of other
  // formats.
  `ALTER TABLE imports ADD COLUMN columns jsonb`,
  `ALTER TABLE imports ADD COLUMN started_at timestamptz(3)`,
  `ALTER TABLE imports ADD COLUMN months jsonb NOT NULL DEFAULT '[]'`,
  `CREATE INDEX imports_due ON imports (uploaded_at)
     WHERE state IN ('uploading', 'asking', 'waiting', 'running', 'undoing')`,
  `DROP INDEX imports_to_do`
]
