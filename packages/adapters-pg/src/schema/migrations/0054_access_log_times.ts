/**
 * How many calls an entry of the access log stands for. Only calls with a token that no longer works share an entry:
 * the calls of one connection to one route within an hour.
 */
export const statements = [`ALTER TABLE access_log ADD COLUMN times integer NOT NULL DEFAULT 1`]
