/**
 * The places whose visits from before the sharing are shared too (decision connection-7). Null in rows that an older
 * version wrote, because that version did not record these places.
 */
export const statements = [`ALTER TABLE consent_history ADD COLUMN earlier_visits_place_ids text[]`]
