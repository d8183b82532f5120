/**
 * For the requests of one app about one user: the filter of the access log, the uses that a renewal shows, and when a
 * connection was last used.
 */
export const statements = [`CREATE INDEX access_log_by_app ON access_log (user_id, app_id, at, entry_id)`]
