/**
 * The chores: tasks that belong to no person. Each chore has a lease, so only one worker does it (decision leases-3).
 */
export const ALL = [
  "broken_uploads",
  "dead_workers",
  "expired_rows",
  "failing_endpoints",
  "listeners",
  "old_history",
  "revoked_apps",
  "volume_flags"
] as const

export type Chore = (typeof ALL)[number]
