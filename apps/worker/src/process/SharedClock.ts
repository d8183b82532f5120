import { DatabaseTime } from "@place-access/adapters-pg"
import { type JudgedClock, Telemetry } from "@place-access/domain/shared"
import { Clock, Effect, Fiber, Schedule } from "effect"

/**
 * The clock that all processes of one PostgreSQL database share. One process stores a time, such as the end of a lease,
 * and another process compares it with its own clock, so all must agree about the time. Each server and worker compares
 * its machine's clock with the database's clock at its start, every minute, and when the machine's clock was set. It
 * corrects a small difference. When the difference exceeds 10 s, a worker does no work, and a server is not ready and
 * refuses uploads.
 */

/**
 * Smaller differences of the two clocks are not corrected, because the network alone can cause a smaller measured
 * difference.
 */
const CORRECTED_FROM_MILLIS = 250
const LOGGED_FROM_MILLIS = 1_000
/** A worker whose machine's clock differs from the database's by more than this does no work. */
export const WRONG_FROM_MILLIS = 10_000

const EVERY_SECONDS = 60
/**
 * When the wall clock and the time since the start of the process drift apart by more than this, somebody has set the
 * machine's clock.
 */
const JUMP_MILLIS = 1_000
const A_SECOND = Schedule.spaced("1 second")

const offsets = Telemetry.gauge("place_access.clock.offset", {
  unit: "s",
  description:
    "How far the database's clock is ahead of this machine's; beyond 10 s a worker does no work, and a server refuses uploads"
})

/**
 * Decides, from a measured difference of the clocks, whether this machine's clock is right, and by how much to correct
 * its times. `before` is the present correction.
 */
export const judge = (
  offsetMillis: number,
  before: number
): { readonly isRight: boolean; readonly correction: number } => {
  const size = Math.abs(offsetMillis)
  const isNews = Math.abs(offsetMillis - before) > CORRECTED_FROM_MILLIS
  return {
    isRight: size <= WRONG_FROM_MILLIS,
    // When the difference has changed little, the present correction is kept. If every measurement changed the
    // correction, the corrected clock would sometimes go backward.
    correction: !isNews ? before : size <= CORRECTED_FROM_MILLIS ? 0 : Math.round(offsetMillis)
  }
}

export const make = () => {
  const host = Clock.make()
  let correction = 0
  let isRight = true
  let hasAnswer = false
  /**
   * How far the wall clock is ahead of the time since the start of the process. This changes when somebody sets the
   * clock.
   */
  const drift = () => host.unsafeCurrentTimeMillis() - performance.now()
  /** The drift at the beginning of the last comparison that the database answered. */
  let comparedAt = drift()
  const now = () => host.unsafeCurrentTimeMillis() + correction
  const nanos = () => host.unsafeCurrentTimeNanos() + BigInt(correction) * 1_000_000n
  const clock: JudgedClock.JudgedClock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: now,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => host.sleep(duration),
    isRight: () => isRight
  }

  /** Compares this machine's clock with the database's once. Without an answer, the last result remains valid. */
  const compare = Effect.gen(function* () {
    const from = drift()
    const offset = yield* DatabaseTime.offset()
    hasAnswer = true
    comparedAt = from
    offsets.record(offset / 1_000, {})
    const wasRight = isRight
    ;({ correction, isRight } = judge(offset, correction))
    const text = `This machine's clock is ${(Math.abs(offset) / 1_000).toFixed(1)} s ${offset > 0 ? "behind" : "ahead of"} the database's`
    if (!isRight)
      yield* Effect.logError(`${text}: until the clock is right, a worker does no work and a server refuses uploads`)
    else if (Math.abs(offset) > LOGGED_FROM_MILLIS)
      yield* Effect.logWarning(`${text}; this process corrects its times by as much`)
    else if (!wasRight) yield* Effect.logInfo("This machine's clock is right again")
  }).pipe(Effect.catchAllCause((cause) => Effect.logDebug("The clocks could not be compared", cause)))

  /**
   * Waits a minute, but ends within a second when somebody has set the clock since the beginning of the last answered
   * comparison. So after somebody sets the clock, comparisons are repeated every second, until the database answers a
   * comparison that began after that.
   */
  const waitForNext = Effect.suspend(() => {
    let seconds = 0
    const isOver = () => ++seconds >= EVERY_SECONDS || Math.abs(drift() - comparedAt) > JUMP_MILLIS
    return Effect.repeat(Effect.delay(Effect.sync(isOver), "1 second"), { until: (is) => is })
  })
  const until = (wanted: boolean) =>
    Effect.repeat(
      Effect.sync(() => isRight === wanted),
      { schedule: A_SECOND, until: (isSo) => isSo }
    )

  return {
    clock,
    compare,
    /**
     * Compares the clocks every second until the database has answered once. A process must not work before: nothing is
     * known about its clock. Warns once, because the log would not say otherwise what the process waits for.
     */
    compareFirst: Effect.gen(function* () {
      yield* compare
      if (hasAnswer) return
      yield* Effect.logWarning(
        "The clocks could not be compared at the start: this process begins its work when the database has answered"
      )
      yield* Effect.repeat(compare, { schedule: A_SECOND, until: () => hasAnswer })
    }),
    /** Compares the clocks every minute, and when the machine's clock was set. Never ends and never fails. */
    watch: Effect.forever(Effect.zipRight(waitForNext, compare)),
    /** Waits until the clock is right. Returns immediately when the clock is right already. */
    untilRight: until(true),
    /**
     * Runs the program while the clock is right, interrupts the program when the clock becomes wrong, and starts it
     * again when the clock is right. When `whileRight` is interrupted, it waits for the program's finalizers, which a
     * race would not do.
     */
    whileRight: <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<never, E, R> =>
      Effect.forkScoped(program).pipe(
        Effect.flatMap((fiber) => Effect.raceFirst(Effect.asVoid(Fiber.join(fiber)), until(false))),
        Effect.scoped,
        (round) => Effect.forever(Effect.zipRight(until(true), round))
      )
  }
}
export type SharedClock = ReturnType<typeof make>
