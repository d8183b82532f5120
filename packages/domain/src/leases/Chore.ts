/** The tasks that belong to no person. Each has a lease of its own, so of several workers one does it (leases-3). */
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
