import { Backlog } from "@place-access/adapters-pg"
import { Telemetry, Timestamp } from "@place-access/domain/shared"
import { Effect, Schedule } from "effect"

const EVERY = Schedule.spaced("15 seconds")

/** Measures the backlog of each queue every 15 seconds and never fails. Does nothing when telemetry is off. */
export const watching = Effect.flatMap(Telemetry.isMeasuring, (isOn) =>
  isOn
    ? Timestamp.now.pipe(
        Effect.flatMap(Backlog.measure),
        Effect.catchAllCause((cause) => Effect.logDebug("The backlog could not be counted", cause)),
        Effect.schedule(EVERY)
      )
    : Effect.void
)
