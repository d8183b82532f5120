import { Clock, Duration, Effect } from "effect"
import * as Process from "./Process.js"
import { Timers } from "./Timers.js"

/** Dates are promised to the quarter of an hour (Spec §6.3.1): whoever looks for them every so often always does. */
const PROMPT = 15 * 60_000
/** Whoever comes back every so often or less tidies up. */
const SELDOM = 60 * 60_000
/** All other loops look less often while nothing happens, so many times as long after the last happening as that is past, */
const PATIENCE = 16
/** but so often at least. */
const LONGEST = 6 * 3_600_000

const MINUTE = 60_000

interface Sleeper {
  readonly process: Process.Process
  /** What was asked for, in milliseconds. */
  readonly own: number
  readonly isPeriodic: boolean
  readonly wake: () => void
  isOver: boolean
  /** How often it was laid down: the timer of the last time counts. */
  laid: number
}

/**
 * Two clocks in one, as every machine has them: the time of day, which somebody may set, and the time that passes, by which timers
 * go off. Nothing passes by itself: the engine moves it from timer to timer.
 *
 * A loop that comes back for ever (`Process.periodic`) is woken less often the longer nothing happens: a night in which nobody moves
 * is a few dozen steps. What happens then finds it back in its own time.
 */
export class VirtualClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  readonly timers = new Timers()
  private readonly startMillis: number
  /** Time that has passed, on top of the start. */
  private passed: number
  /** How far the time of day was set off. */
  private offset = 0
  /** The latest time of day that was given up when somebody set it back. */
  private latest = -Infinity
  private stirredAt: number
  private stretched: Array<{ readonly at: number; readonly sleeper: Sleeper }> = []
  /** What each loop asked for the last time. */
  private readonly rhythms = new WeakMap<object, number>()

  constructor(startMillis: number) {
    this.startMillis = startMillis
    this.passed = startMillis
    this.stirredAt = startMillis
  }

  /** Never goes back. */
  get monotonic(): number {
    return this.passed
  }

  /** Time that has passed since the start. Never goes back. */
  get elapsed(): number {
    return this.passed - this.startMillis
  }

  unsafeCurrentTimeMillis(): number {
    return this.passed + this.offset
  }

  /** How long until it shows again what it had shown before it was set back; 0 when it was not. */
  get behindMillis(): number {
    return Math.max(0, this.latest - this.unsafeCurrentTimeMillis())
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
      // Whole milliseconds, rounded up: nobody wakes before the time that they asked for.
      const own = Math.max(0, Math.ceil(Duration.toMillis(duration)))
      return Effect.async<void>((resume) => {
        const sleeper: Sleeper = { process, own, isOver: false, laid: 0, isPeriodic, wake: () => resume(Effect.void) }
        const isStretched = isPeriodic && (own < PROMPT || own >= SELDOM)
        this.lay(sleeper, isStretched ? this.stretch(fiber, own) : own)
        return Effect.sync(() => {
          sleeper.isOver = true
        })
      })
    })
  }

  /** Something happened: loops that looked less often come back in their own time, at the latest. */
  stir(): void {
    this.stirredAt = this.passed
    if (this.stretched.length === 0) return
    const before = this.stretched
    this.stretched = []
    for (const { at, sleeper } of before) {
      if (!sleeper.isOver && at > this.passed + sleeper.own) this.lay(sleeper, sleeper.own)
    }
  }

  /** How long a loop sleeps that asks for so much. */
  private stretch(loop: object, own: number): number {
    const patience = Math.min(PATIENCE * (this.passed - this.stirredAt), LONGEST)
    const before = this.rhythms.get(loop)
    this.rhythms.set(loop, own)
    const isToTheMinute = (this.unsafeCurrentTimeMillis() + own) % MINUTE === 0
    if (!isToTheMinute) return Math.max(own, patience)
    // What looks at whole quarters of an hour, say, is still finding them; then it keeps to them.
    return before === own ? Math.max(1, Math.floor(patience / own)) * own : own
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

  /** Somebody sets the time of day. No timer goes off sooner or later for it. */
  jump(millis: number): void {
    this.latest = Math.max(this.latest, this.unsafeCurrentTimeMillis())
    this.offset += millis
  }

  /** Time passes; never back. */
  moveTo(monotonic: number): void {
    this.passed = Math.max(this.passed, monotonic)
  }

  /** Fires the next timer, which moves the time to it. False when there is none left. */
  advance(): boolean {
    const next = this.timers.first
    if (next === undefined) return false
    this.timers.removeFirst()
    this.moveTo(next.at)
    next.fire()
    return true
  }
}
