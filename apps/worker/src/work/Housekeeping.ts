import { Partitions } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Schedule } from "effect"

/** Often enough to make a partition long before its month begins, and to repeat a run that found a table locked. */
const EVERY = Schedule.spaced("1 hour")

const partitions = (
  what: string,
  change: (now: Timestamp.Timestamp) => ReturnType<typeof Partitions.ensurePartitions>
) =>
  Timestamp.now.pipe(
    Effect.flatMap(change),
    Effect.tap((names) => (names.length > 0 ? Effect.logInfo(`partitions ${what}: ${names.join(", ")}`) : Effect.void)),
    Effect.catchAllCause((cause) => Effect.logWarning(`partitions could not be ${what}; the next run retries`, cause))
  )

/**
 * Makes and drops partitions from time to time; never ends and never fails. Any number of workers may run it at once.
 */
export const housekeeping = partitions("made", Partitions.ensurePartitions).pipe(
  Effect.zipRight(partitions("dropped", Partitions.dropExpired)),
  Effect.schedule(EVERY)
)
