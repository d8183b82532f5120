import { Context, type Effect } from "effect"
import type { WorkerId } from "../shared/Ids.js"
import type { StoreError } from "../shared/Errors.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Beat, Lease, LeaseSurvey } from "./Lease.js"

/**
 * Stores the workers' beats and leases. Every change of a lease names the lease's token, and has no effect if the
 * stored token is different.
 */
export class LeaseStore extends Context.Tag("@place-access/domain/leases/LeaseStore")<
  LeaseStore,
  {
    /** Stores the worker's beat in place of the worker's previous beat. */
    readonly beat: (beat: Beat) => Effect.Effect<void, StoreError>
    /**
     * Reads the leases of this home, of all kinds, that were taken at least once, and the beats of all workers. All
     * leases of a service have one home (`Lease.HOME`), so that a cluster keeps them on one shard.
     *
     * The leases and the beats must be of one moment, or the leases must be read first. A worker beats before it takes
     * a lease. If a store read the beats first, a worker that beats and takes a lease between the two reads would seem
     * dead. Another worker would then take the lease, and two workers would do the same work.
     */
    readonly survey: (home: string) => Effect.Effect<LeaseSurvey, StoreError>
    /**
     * Takes each of `leases` whose stored token is still the token in `leases`, raises the stored token by one, and
     * returns the leases that it took. A different token means that the lease was taken since `leases` was read.
     */
    readonly take: (
      home: string,
      worker: WorkerId,
      leases: ReadonlyArray<Lease>
    ) => Effect.Effect<ReadonlyArray<Lease>, StoreError>
    /**
     * Frees each of `leases` whose stored token is still the token in `leases`. The stored token stays, so that the
     * next `take` raises it.
     */
    readonly giveUp: (home: string, leases: ReadonlyArray<Lease>) => Effect.Effect<void, StoreError>
    /** Deletes the worker's beat. Its leases are then free, as if the worker had died. */
    readonly leave: (worker: WorkerId) => Effect.Effect<void, StoreError>
    /** Deletes each beat whose `aliveUntil` is before this time. */
    readonly forgetDead: (before: Timestamp) => Effect.Effect<void, StoreError>
  }
>() {}
