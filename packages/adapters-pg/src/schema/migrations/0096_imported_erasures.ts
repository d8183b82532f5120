/**
 * The import whose archive had the deleted stretch (decision exports-10); null for a stretch that the owner deleted.
 * Undoing the import removes its stretches.
 */
export const statements = [`ALTER TABLE erasures ADD COLUMN import_id text`]
