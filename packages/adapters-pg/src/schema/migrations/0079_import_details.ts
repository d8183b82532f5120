/** What an import's page shows: the columns of a table, when the reading began, what was read by month. */
export const statements = [
  // For an imported table (CSV): which of its columns has which value. Null for files of other formats.
  `ALTER TABLE imports ADD COLUMN columns jsonb`,
  `ALTER TABLE imports ADD COLUMN started_at timestamptz(3)`,
  `ALTER TABLE imports ADD COLUMN months jsonb NOT NULL DEFAULT '[]'`,
  `CREATE INDEX imports_due ON imports (uploaded_at)
     WHERE state IN ('uploading', 'asking', 'waiting', 'running', 'undoing')`,
  `DROP INDEX imports_to_do`
]
