import { Partitions } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import type { WorkLeases } from "@place-access/domain/leases"
import { Effect } from "effect"

/** Often enough to make a partition long before its month begins, and to repeat a run that found a table locked. */
const EVERY = "1 hour"

const partitions = (
  what: string,
  change: (now: Timestamp.Timestamp) => ReturnType<typeof Partitions.ensurePartitions>
) =>
  Timestamp.now.pipe(
    Effect.flatMap(change),
    Effect.tap((names) => (names.length > 0 ? Effect.logInfo(`partitions ${what}: ${names.join(", ")}`) : Effect.void)),
    Effect.catchAllCause((cause) => Effect.logWarning(`partitions could not be ${what}; the next run retries`, cause))
  )

const change = Effect.zipRight(
  partitions("made", Partitions.ensurePartitions),
  partitions("dropped", Partitions.dropExpired)
)

/**
 * Makes and drops partitions while this worker holds the lease of the task `partitions`, and does nothing without it.
 * Never ends and never fails.
 */
export const housekeeping = ({ chores, nextTaken }: WorkLeases) =>
  Effect.gen(function* () {
    const taken = yield* nextTaken
    yield* chores.using("partitions", change)
    yield* Effect.timeoutOption(taken, EVERY)
  }).pipe(Effect.forever)
