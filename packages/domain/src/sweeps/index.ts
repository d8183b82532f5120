/**
 * Sweeps: the regular jobs of workers, for which no request waits. They delete expired rows (`Retention`), notify apps
 * before and after the sensitive tier ends (`TierSweep`), and call the sweeps of other rooms. `runHousekeeping` runs
 * each sweep on its timetable, for the people and chores whose leases this worker holds. Every sweep works in small
 * steps, and may be interrupted and repeated.
 *
 * @module
 */

export * as Retention from "./Retention.js"
export { type EventPlace, RetentionStore } from "./RetentionStore.js"
export { runHousekeeping } from "./runHousekeeping.js"
export { sweepExpired, sweepHistory } from "./sweepHistory.js"
export { type TierSweepCounts, sweepTiers } from "./sweepTiers.js"
export { type ConnectionKey, type Dated, type DueTiers, type DueTiersPage, type Sweep, TierStore } from "./TierStore.js"
export * as TierSweep from "./TierSweep.js"
