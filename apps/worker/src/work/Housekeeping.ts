import { Partitions } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { type Duration, Effect } from "effect"

/**
 * The interval at which a worker makes and drops partitions. An hour is short enough to make a partition long before
 * its month begins, and to retry soon after a run that found a table locked.
 */
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

const change = (limit: Duration.DurationInput) =>
  Effect.zipRight(
    partitions("made", (now) => Partitions.ensurePartitions(now, limit)),
    partitions("dropped", Partitions.dropExpired)
  )

/**
 * Makes and drops partitions. Never ends and never fails. Every worker does this, without a lease: on a cluster only a
 * worker that is connected to the coordinator can make partitions, and the worker with a lease might be connected to
 * another node. `limit` is the longest time for one statement that makes a partition; 0 means no limit.
 */
export const housekeeping = (limit: Duration.DurationInput) =>
  Effect.forever(Effect.zipRight(change(limit), Effect.sleep(EVERY)))
