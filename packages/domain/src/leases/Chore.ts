/** The tasks that belong to no person. Each task has its own lease, so only one worker does the task (leases-3). */
export const ALL = [
  "broken_uploads",
  "dead_workers",
  "expired_rows",
  "failing_endpoints",
  "listeners",
  "old_history",
  "partitions",
  "revoked_apps",
  "volume_flags"
] as const

export type Chore = (typeof ALL)[number]
