import { Clock, Duration, Effect } from "effect"
import * as Process from "./Process.js"
import { Timers } from "./Timers.js"

/**
 * Two clocks in one, as every machine has them: the time of day, which somebody may set, and the time that passes, by which timers
 * go off. Nothing passes by itself: the engine moves it from timer to timer.
 */
export class VirtualClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  readonly timers = new Timers()
  /** Time that has passed, on top of the start. */
  private passed: number
  /** How far the time of day was set off. */
  private offset = 0

  constructor(startMillis: number) {
    this.passed = startMillis
  }

  /** Never goes back. */
  get monotonic(): number {
    return this.passed
  }

  unsafeCurrentTimeMillis(): number {
    return this.passed + this.offset
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
      return Effect.async<void>((resume) => {
        let isCancelled = false
        this.timers.add({
          // Whole milliseconds, rounded up: nobody wakes before the time that they asked for.
          at: this.passed + Math.max(0, Math.ceil(Duration.toMillis(duration))),
          fire: () => resume(Effect.void),
          isDead: () => isCancelled || !process.isAlive,
          isPeriodic
        })
        return Effect.sync(() => {
          isCancelled = true
        })
      })
    })
  }

  /** Somebody sets the time of day. No timer goes off sooner or later for it. */
  jump(millis: number): void {
    this.offset += millis
  }

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
