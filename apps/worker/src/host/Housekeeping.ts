import { Partitions } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Schedule } from "effect"

/** Long before a month begins, and again after a run that found a table locked. */
const EVERY = Schedule.spaced("1 hour")

const partitions = (
  what: string,
  change: (now: Timestamp.Timestamp) => ReturnType<typeof Partitions.ensurePartitions>
) =>
  Timestamp.now.pipe(
    Effect.flatMap(change),
    Effect.tap((names) => (names.length > 0 ? Effect.logInfo(`partitions ${what}: ${names.join(", ")}`) : Effect.void)),
    Effect.catchAllCause((cause) => Effect.logWarning(`partitions could not be ${what}, later again`, cause))
  )

/** What a worker does now and then; never ends and never fails. Any number of workers may do it at once. */
export const housekeeping = partitions("made", Partitions.ensurePartitions).pipe(
  Effect.zipRight(partitions("dropped", Partitions.dropExpired)),
  Effect.schedule(EVERY)
)
