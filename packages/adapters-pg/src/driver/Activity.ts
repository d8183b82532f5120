/**
 * Says whether statements run in this process or wait to run. A server on virtual time moves its clock only when no
 * statement runs or waits (decision virtual-time-2): a statement takes real time, and meanwhile the clock must stand
 * still. Each source of statements, such as a pool, adds a check with `watch`.
 */

const checks = new Set<() => boolean>()

/** Adds a check of one source of statements. The returned function removes the check. */
export const watch = (isBusy: () => boolean): (() => void) => {
  checks.add(isBusy)
  return () => void checks.delete(isBusy)
}

/** Whether a statement runs or waits in this process. */
export const isBusy = (): boolean => {
  for (const check of checks) if (check()) return true
  return false
}
