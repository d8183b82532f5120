/** Calls with a token that no longer works are one entry an hour, which counts them. */
export const statements = [`ALTER TABLE access_log ADD COLUMN times integer NOT NULL DEFAULT 1`]
