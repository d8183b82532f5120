/**
 * What one app asked about one user: the log's filter, the uses shown with a renewal, when a connection was last used.
 */
export const statements = [`CREATE INDEX access_log_by_app ON access_log (user_id, app_id, at, entry_id)`]
