import { Partitions } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Schedule } from "effect"

/** Long before a month begins, and again after a run that found a table locked. */
const EVERY = Schedule.spaced("1 hour")

/** What a worker does now and then; never ends and never fails. Any number of workers may do it at once. */
export const housekeeping = Timestamp.now.pipe(
  Effect.flatMap(Partitions.ensurePartitions),
  Effect.tap((made) => (made.length > 0 ? Effect.logInfo(`partitions made: ${made.join(", ")}`) : Effect.void)),
  Effect.catchAllCause((cause) => Effect.logWarning("partitions could not be made, later again", cause)),
  Effect.schedule(EVERY)
)
