import { Effect, type Option } from "effect"
import type { UserId } from "../shared/Ids.js"
import * as Bucket from "./Bucket.js"
import type { Chore } from "./Chore.js"

/** The people whose work this worker does. */
export interface PeopleLeases {
  /**
   * The buckets whose leases the worker has. The effect first waits for the end of a look when the worker has not
   * looked yet, when the worker is taking leases, and when the worker's last beat has run out.
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
   * Signals that the worker has taken further leases, so that there may be new work. Run the outer effect first. Its
   * result is an effect that ends when the worker next takes a further lease after the outer effect ran.
   */
  readonly nextTaken: Effect.Effect<Effect.Effect<void>>
}

/** The leases of a worker that shares its database with no other worker: it holds all leases permanently. */
export const everything: WorkLeases = {
  people: { buckets: Effect.succeed(Bucket.ALL), using: (_, work) => Effect.asSome(work) },
  chores: { using: (_, work) => Effect.asSome(work) },
  nextTaken: Effect.succeed(Effect.never)
}
