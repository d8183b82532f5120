/**
 * Leases divide the work among several workers that share one database. A worker stores a beat at least every two
 * seconds and takes its share of the leases. Ten seconds after a worker's last beat, other workers take its leases.
 * `Lease` decides what a worker takes and gives up, `holdLeases` keeps a worker's leases, `Bucket` divides people,
 * `Chore` names the tasks that belong to no person. Programs get `WorkLeases`, and do only the work whose lease they
 * hold. `docs/leases.md` explains the idea.
 *
 * @module
 */

export * as Bucket from "./Bucket.js"
export * as Chore from "./Chore.js"
export * as Lease from "./Lease.js"
export { LeaseStore } from "./LeaseStore.js"
export { holdLeases, type WorkerLeases } from "./holdLeases.js"
export { type ChoreLeases, everything, type PeopleLeases, type WorkLeases } from "./WorkLeases.js"
