/**
 * How many calls an entry of the access log stands for. Only calls with a token that no longer works share an entry:
 * one for each hour.
 */
export const statements = [`ALTER TABLE access_log ADD COLUMN times integer NOT NULL DEFAULT 1`]
