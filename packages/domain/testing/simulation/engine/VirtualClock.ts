import { Clock, Duration, Effect } from "effect"
import * as Process from "./Process.js"
import { Timers } from "./Timers.js"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/**
 * The interval of the tier sweep, which must notice the end dates of connections within a quarter of an hour (Spec
 * §6.3.1). The clock lets a loop with exactly this interval sleep longer only while no connection becomes due for the
 * sweep (`hasDateBy`), and never a loop whose interval is between `PROMPT` and `SELDOM`.
 */
const PROMPT = 15 * MINUTE
/**
 * A sleep shorter than this is a pause within a piece of work (`Pacing`), for example between two steps of an import,
 * because no polling loop looks for work more often than once a second. The clock never makes a pause longer.
 */
const PAUSE = SECOND
/**
 * A polling loop with this interval or a longer interval does only maintenance, so the clock may let it sleep longer.
 */
const SELDOM = HOUR
/**
 * The longest sleep of a slowed loop, as a multiple of the time since new work last may have appeared (`stir`): a
 * minute after the last `stir`, a loop sleeps at most 16 minutes.
 */
const PATIENCE = 16
/**
 * A slowed loop wakes at a time of day that is a multiple of one of these intervals, so that several loops wake at the
 * same time. There are two exceptions. While `patience` is shorter than a minute, the loop wakes at any time of day.
 * When the loop has work before the next of these times, the loop sleeps for exactly one of these intervals, or for its
 * own interval (`untilWork`).
 */
const GRIDS = [6 * HOUR, 3 * HOUR, HOUR, 30 * MINUTE, PROMPT, 5 * MINUTE, MINUTE] as const

interface Sleeper {
  readonly process: Process.Process
  /** The length of the sleep that the loop asked for, in milliseconds. */
  readonly own: number
  readonly isPeriodic: boolean
  readonly wake: () => void
  isOver: boolean
  /** The number of timers that were set for this sleep. Only the newest of them ends the sleep. */
  laid: number
}

/**
 * Replaces the clock of Effect. The clock has two times, as every machine has: the time of day, which can be set, and
 * the time that has passed, by which timers fire. Time passes only when the engine moves the clock to the next timer.
 *
 * The longer no new work appears, the longer a polling loop (`Process.periodic`) sleeps. So a night without events
 * takes a few dozen steps instead of thousands. A loop that sleeps longer than its own interval is *slowed*. When new
 * work may have appeared (`stir`), every slowed loop returns to its own interval.
 */
export class VirtualClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  readonly timers = new Timers()
  private readonly startMillis: number
  /** The start of the run plus the time that has passed since then, in milliseconds. */
  private passed: number
  /** The sum of all changes of the time of day (`jump`). */
  private offset = 0
  /** The latest time of day that the clock had shown at its last `jump`. */
  private latest = -Infinity
  /** How far the clock of the machine that takes the present step is ahead of `timeOfDay`, in milliseconds. */
  skewMillis = 0
  private stirredAt: number
  /** The number of calls of `stir` so far. */
  private stirs = 0
  private stretched: Array<{ readonly at: number; readonly sleeper: Sleeper }> = []
  /**
   * Whether a connection becomes due for the tier sweep by this time of the clock (milliseconds since 1970). If so, a
   * polling loop with an interval of 15 minutes must wake before that time.
   */
  hasDateBy: (timeOfDay: number) => Effect.Effect<boolean> = () => Effect.succeed(true)
  /**
   * Whether polling loops with intervals shorter than 15 minutes have work by this time of the clock (milliseconds
   * since 1970). Undefined: the clock makes the sleeps of these loops longer without asking.
   */
  hasWorkBy: ((timeOfDay: number) => Effect.Effect<boolean>) | undefined
  /**
   * For each polling loop, the length of the sleep that it asked for last, in milliseconds. The key is the loop's
   * fiber.
   */
  private readonly rhythms = new WeakMap<object, number>()

  constructor(startMillis: number) {
    this.startMillis = startMillis
    this.passed = startMillis
    this.stirredAt = startMillis
  }

  /** The start of the run plus the time that has passed, in milliseconds. This number never goes back. */
  get monotonic(): number {
    return this.passed
  }

  /** The time that has passed since the start of the run, in milliseconds. This number never goes back. */
  get elapsed(): number {
    return this.passed - this.startMillis
  }

  /**
   * The time of day, without the skew of any machine, in milliseconds since 1970. The entries of the trace have this
   * time.
   */
  get timeOfDay(): number {
    return this.passed + this.offset
  }

  /** The time on the clock of the machine that takes the present step. */
  unsafeCurrentTimeMillis(): number {
    return this.timeOfDay + this.skewMillis
  }

  /**
   * How far the time of day is behind the latest time of day that the clock has shown, in milliseconds; 0 when no jump
   * has set the clock back, or the clock has caught up.
   */
  get behindMillis(): number {
    return Math.max(0, this.latest - this.timeOfDay)
  }

  unsafeCurrentTimeNanos(): bigint {
    return BigInt(this.unsafeCurrentTimeMillis()) * 1_000_000n
  }

  readonly currentTimeMillis: Effect.Effect<number> = Effect.sync(() => this.unsafeCurrentTimeMillis())
  readonly currentTimeNanos: Effect.Effect<bigint> = Effect.sync(() => this.unsafeCurrentTimeNanos())

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    return Effect.withFiberRuntime<void>((fiber) => {
      const process = fiber.getFiberRef(Process.current)
      const isPeriodic = fiber.getFiberRef(Process.isPeriodic)
      // The duration of the sleep is rounded up to whole milliseconds, so that no fiber wakes too early.
      const own = Math.max(0, Math.ceil(Duration.toMillis(duration)))
      const sleep = (millis: number) =>
        Effect.async<void>((resume) => {
          const sleeper: Sleeper = { process, own, isOver: false, laid: 0, isPeriodic, wake: () => resume(Effect.void) }
          this.lay(sleeper, millis)
          return Effect.sync(() => {
            sleeper.isOver = true
          })
        })
      // Sleeps for the result of `longer`. If new work may have appeared while `longer` was computed (`stir` was
      // called), the result may be too long, so the worker's polling loop sleeps only for `own()`.
      const sleepUnlessStirred = (longer: Effect.Effect<number>, own: () => number) => {
        const before = this.stirs
        return Effect.flatMap(longer, (millis) => sleep(this.stirs === before ? millis : own()))
      }
      if (!isPeriodic || own < PAUSE) return sleep(own)
      if (own < PROMPT || own >= SELDOM) {
        const stretched = this.stretch(fiber, own)
        if (own >= PROMPT || stretched <= own) return sleep(stretched)
        return sleepUnlessStirred(this.untilWork(own, [stretched, ...GRIDS]), () => own)
      }
      if (own > PROMPT) return sleep(own)
      return sleepUnlessStirred(this.untilDate(GRIDS), () => this.untilQuarter())
    })
  }

  /**
   * Tells the clock that there may be new work for a polling loop. The recorder calls `stir` for each entry of the
   * trace that may mean new work. The clock lets idle loops sleep longer than their intervals. After `stir`, each of
   * these loops wakes at the latest when its own interval has passed since this call.
   */
  stir(): void {
    this.stirredAt = this.passed
    this.stirs += 1
    if (this.stretched.length === 0) return
    const before = this.stretched
    this.stretched = []
    for (const { at, sleeper } of before) {
      const own = sleeper.own === PROMPT ? this.untilQuarter() : sleeper.own
      if (!sleeper.isOver && at > this.passed + own) this.lay(sleeper, own)
    }
  }

  /**
   * The milliseconds until the clock shows the next full quarter of an hour, when a loop with an interval of 15 minutes
   * wakes; never 0.
   */
  private untilQuarter(): number {
    return PROMPT - (this.timeOfDay % PROMPT)
  }

  /**
   * How long a polling loop with an interval of 15 minutes sleeps, in milliseconds. A longer sleep saves steps of the
   * simulation, but must not make the tier sweep, the work of this loop, late. So the function tries the intervals of
   * `GRIDS` that are not longer than `patience`, the largest first. The sleep ends at the next multiple of the first
   * interval for which no connection becomes due for the tier sweep during the sleep. If no interval longer than 15
   * minutes fits, the sleep is 15 minutes.
   */
  private untilDate([grid = PROMPT, ...finer]: ReadonlyArray<number>): Effect.Effect<number> {
    if (grid <= PROMPT) return Effect.succeed(PROMPT)
    if (grid > this.patience) return this.untilDate(finer)
    const millis = this.untilMultiple(grid)
    return Effect.flatMap(this.hasDateBy(this.unsafeCurrentTimeMillis() + millis), (comes) =>
      comes ? this.untilDate(finer) : Effect.succeed(millis)
    )
  }

  /**
   * How long a polling loop with an interval shorter than 15 minutes sleeps, in milliseconds: the first of the given
   * sleeps in which no work becomes due (`hasWorkBy`), or `own` when there is none.
   */
  private untilWork(own: number, [first, ...others]: ReadonlyArray<number>): Effect.Effect<number> {
    if (first === undefined) return Effect.succeed(own)
    if (this.hasWorkBy === undefined) return Effect.succeed(first)
    const shorter = others.filter((one) => one < first && one > own)
    return Effect.flatMap(this.hasWorkBy(this.unsafeCurrentTimeMillis() + first), (has) =>
      has ? this.untilWork(own, shorter) : Effect.succeed(first)
    )
  }

  /**
   * The longest sleep of a slowed loop, in milliseconds. The more time has passed since new work last may have appeared
   * (`stir`), the longer is this sleep.
   */
  private get patience(): number {
    return PATIENCE * (this.passed - this.stirredAt)
  }

  /**
   * The milliseconds until the clock of the machine that takes the present step shows a multiple of `grid`; never 0.
   */
  private untilMultiple(grid: number): number {
    return grid - (this.unsafeCurrentTimeMillis() % grid)
  }

  /** How long the clock lets a polling loop sleep, in milliseconds, when the loop asks for `own` milliseconds. */
  private stretch(loop: object, own: number): number {
    const before = this.rhythms.get(loop)
    this.rhythms.set(loop, own)
    const isToTheMinute = (this.unsafeCurrentTimeMillis() + own) % MINUTE === 0
    // Some loops wake at whole minutes, for example at every full hour, and a longer sleep must also end at one of
    // these times. When a loop asks for another length of sleep than the last time, the loop may still be on the way to
    // its first whole minute. So the clock gives the loop exactly the sleep that it asks for.
    if (isToTheMinute && before !== own) return own
    const { patience } = this
    const grid = GRIDS.find((one) => one <= patience && (!isToTheMinute || one % own === 0))
    if (grid !== undefined) return Math.max(own, this.untilMultiple(grid))
    return isToTheMinute ? own : Math.max(own, patience)
  }

  private lay(sleeper: Sleeper, millis: number): void {
    const at = this.passed + millis
    const laid = ++sleeper.laid
    if (millis > sleeper.own) this.stretched.push({ at, sleeper })
    this.timers.add({
      at,
      fire: () => {
        sleeper.isOver = true
        sleeper.wake()
      },
      isDead: () => sleeper.isOver || sleeper.laid !== laid || !sleeper.process.isAlive,
      isPeriodic: sleeper.isPeriodic,
      isOutside: !sleeper.isPeriodic && sleeper.process === Process.WORLD
    })
  }

  /**
   * Sets the time of day forward or back. Timers do not use the time of day but the time that has passed since the
   * start of the run, so a jump changes no timer. After the clock was set back, work with a due date becomes due only
   * when the clock again shows the time from before the jump. Then the clock wakes the polling loops (`stir`).
   */
  jump(millis: number): void {
    this.latest = Math.max(this.latest, this.timeOfDay)
    this.offset += millis
    if (this.behindMillis === 0) return
    this.timers.add({
      at: this.passed + this.behindMillis,
      fire: () => this.stir(),
      // If the clock is set again before this timer fires, the second change adds its own timer for the time at which
      // the clock then catches up. The timer here then only wakes the polling loops once more than needed.
      isDead: () => false,
      isPeriodic: true,
      isOutside: false
    })
  }

  /** Moves the time that has passed forward to `monotonic`; never back. */
  moveTo(monotonic: number): void {
    this.passed = Math.max(this.passed, monotonic)
  }

  /** Moves the clock to the next timer and fires it. Returns false when there is no timer. */
  advance(): boolean {
    const next = this.timers.first
    if (next === undefined) return false
    this.timers.removeFirst()
    this.moveTo(next.at)
    next.fire()
    return true
  }
}
