import { Effect, type Option } from "effect"
import type { UserId } from "../shared/Ids.js"
import * as Bucket from "./Bucket.js"
import type { Chore } from "./Chore.js"

/** The people whose work this worker does. */
export interface PeopleLeases {
  /**
   * The buckets whose leases the worker has. A look takes leases and gives leases up (`holdLeases`). The effect first
   * waits for the end of a look in three cases: the worker has not looked yet, it is taking leases, or its last beat
   * has run out.
   */
  readonly buckets: Effect.Effect<ReadonlyArray<number>>
  /**
   * Runs `work`, a piece of work of this person. The worker keeps the lease of the person's bucket until `work` has
   * ended. None, and `work` is not run, when the worker does not hold that lease.
   */
  readonly using: <A, E, R>(person: UserId, work: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
}

/** The chores that this worker does. */
export interface ChoreLeases {
  /**
   * Runs `work`, which does the chore. The worker keeps the chore's lease until `work` has ended. None, and `work` is
   * not run, when the worker does not hold that lease.
   */
  readonly using: <A, E, R>(chore: Chore, work: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
}

/** The leases of a worker, in the form in which the worker's loops use them. */
export interface WorkLeases {
  readonly people: PeopleLeases
  readonly chores: ChoreLeases
  /**
   * Signals that the worker has taken further leases, so that there may be new work. Run the outer effect before you
   * look for work. Its result is a second effect, which ends when the worker has taken a further lease since the outer
   * effect ran.
   */
  readonly nextTaken: Effect.Effect<Effect.Effect<void>>
}

/** The leases of a worker that shares its database with no other worker: it holds all leases permanently. */
export const everything: WorkLeases = {
  people: { buckets: Effect.succeed(Bucket.ALL), using: (_, work) => Effect.asSome(work) },
  chores: { using: (_, work) => Effect.asSome(work) },
  nextTaken: Effect.succeed(Effect.never)
}
