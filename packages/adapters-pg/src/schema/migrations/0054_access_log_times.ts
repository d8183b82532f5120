/** How many calls an entry stands for: calls with a token that no longer works share one entry for each hour. */
export const statements = [`ALTER TABLE access_log ADD COLUMN times integer NOT NULL DEFAULT 1`]
