/**
 * An index on the requests of one app about one user. It serves the filter of the access log, the uses that a renewal
 * shows, and the time at which a connection was last used.
 */
export const statements = [`CREATE INDEX access_log_by_app ON access_log (user_id, app_id, at, entry_id)`]
