import { Backlog } from "@place-access/adapters-pg"
import { Telemetry, Timestamp } from "@place-access/domain/shared"
import { Effect, Schedule } from "effect"

/**
 * The watch over the backlog. The gauges of the backlog keep their last values when a measurement fails, so an operator
 * could take a worker without a database for one without work. The gauge `age` shows that the values are old.
 */

const EVERY = Schedule.spaced("15 seconds")

const age = Telemetry.gauge("place_access.backlog.measurement_age", {
  unit: "s",
  description: "The time since this process last measured the backlog, or since it began its work if it never has"
})

interface Means<E, R> {
  readonly measure: (now: Timestamp.Timestamp) => Effect.Effect<void, E, R>
  /**
   * The milliseconds of a monotonic clock. With the machine's clock, the age of the backlog would jump when somebody
   * sets that clock.
   */
  readonly now: () => number
}

/** Watches the backlog as `watching` does, but with the given measurement and the given clock, for tests. */
export const watchingWith = <E, R>({ measure, now }: Means<E, R>): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    if (!(yield* Telemetry.isMeasuring)) return
    let measuredAt = now()
    yield* Telemetry.observe(() => age.record((now() - measuredAt) / 1_000, {}))
    yield* Timestamp.now.pipe(
      Effect.flatMap(measure),
      Effect.zipRight(Effect.sync(() => (measuredAt = now()))),
      Effect.catchAllCause((cause) => Effect.logDebug("The backlog could not be counted", cause)),
      Effect.schedule(EVERY)
    )
  }).pipe(Effect.scoped)

/** Measures the backlog of each queue every 15 seconds and never fails. Does nothing when telemetry is off. */
export const watching = watchingWith({ measure: Backlog.measure, now: () => performance.now() })
