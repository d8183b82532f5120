import { Effect, type Option } from "effect"
import type { UserId } from "../shared/Ids.js"
import * as Bucket from "./Bucket.js"
import type { Chore } from "./Chore.js"

/** The people whose work this worker does. */
export interface PeopleLeases {
  /**
   * The buckets that the worker holds. When the worker's last beat has run out, waits until the worker has stored a new
   * beat.
   */
  readonly buckets: Effect.Effect<ReadonlyArray<number>>
  /**
   * Does a piece of work of this person. The worker keeps the person's bucket until the work has ended. None, and
   * nothing is done, when the worker does not hold the bucket.
   */
  readonly using: <A, E, R>(person: UserId, work: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
}

/** The tasks without a person that this worker does. */
export interface ChoreLeases {
  /** Does the task and keeps its lease meanwhile. None, and nothing is done, if the worker does not hold the lease. */
  readonly using: <A, E, R>(chore: Chore, work: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
}

/** The leases of a worker, as its loops see them. */
export interface WorkLeases {
  readonly people: PeopleLeases
  readonly chores: ChoreLeases
  /** The inner effect ends when the worker has taken further leases since the outer effect ran: new work may wait. */
  readonly nextTaken: Effect.Effect<Effect.Effect<void>>
}

/** For a worker that is alone: it holds all leases permanently. */
export const everything: WorkLeases = {
  people: { buckets: Effect.succeed(Bucket.ALL), using: (_, work) => Effect.asSome(work) },
  chores: { using: (_, work) => Effect.asSome(work) },
  nextTaken: Effect.succeed(Effect.never)
}
