import { Context, type Effect } from "effect"
import type { WorkerId } from "../shared/Ids.js"
import type { StoreError } from "../shared/Errors.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Beat, Lease, LeaseSurvey } from "./Lease.js"

/** Workers and leases. Every change of a lease names the lease's token, and has no effect if the token has changed. */
export class LeaseStore extends Context.Tag("@place-access/domain/leases/LeaseStore")<
  LeaseStore,
  {
    /** Stores the worker's beat in place of its earlier one. */
    readonly beat: (beat: Beat) => Effect.Effect<void, StoreError>
    /**
     * Reads every lease of this home, of each kind, that was taken at least once, and the beats of all workers. All
     * leases of a service have one home (`Lease.HOME`), so that a cluster keeps them on one shard.
     *
     * Both must be of one moment, or the leases are read before the beats. A worker beats before it takes a lease: when
     * the beats are read first, a worker that beats and takes a lease in between seems dead, and another worker takes
     * the lease. Then two workers do the same work.
     */
    readonly survey: (home: string) => Effect.Effect<LeaseSurvey, StoreError>
    /** Takes those of the leases whose token has not changed, raises their tokens by one, and returns them. */
    readonly take: (
      home: string,
      worker: WorkerId,
      leases: ReadonlyArray<Lease>
    ) => Effect.Effect<ReadonlyArray<Lease>, StoreError>
    /** Frees those of the leases whose token has not changed. Does not change their tokens. */
    readonly giveUp: (home: string, leases: ReadonlyArray<Lease>) => Effect.Effect<void, StoreError>
    /** Forgets the worker. Its leases are free from now on, as after its death. */
    readonly leave: (worker: WorkerId) => Effect.Effect<void, StoreError>
    /** Forgets the workers whose last beat ended before this time. */
    readonly forgetDead: (before: Timestamp) => Effect.Effect<void, StoreError>
  }
>() {}
