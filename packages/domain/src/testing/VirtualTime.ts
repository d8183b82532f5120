import { Clock, Duration, Effect, type Exit, type Scheduler } from "effect"

/**
 * Virtual time: a clock whose timers fire in order of (due time, insertion), and a scheduler that runs fibers first-in
 * first-out, drained by hand. Nothing real is waited for, so days take milliseconds, and the same program runs the same way
 * every time.
 */

interface Timer {
  readonly at: number
  readonly order: number
  readonly fire: () => void
  cancelled: boolean
}

const isBefore = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** A binary heap: the earliest timer first, equal times in order of insertion. */
class Timers {
  private readonly heap: Array<Timer> = []

  get first(): Timer | undefined {
    return this.heap[0]
  }

  add(timer: Timer): void {
    let hole = this.heap.push(timer) - 1
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      const above = this.heap[parent]
      if (above === undefined || isBefore(above, timer)) break
      this.heap[hole] = above
      hole = parent
    }
    this.heap[hole] = timer
  }

  removeFirst(): void {
    const last = this.heap.pop()
    if (last === undefined || this.heap.length === 0) return
    let hole = 0
    for (;;) {
      const child = this.earlierChild(hole)
      const below = child === undefined ? undefined : this.heap[child]
      if (child === undefined || below === undefined || isBefore(last, below)) break
      this.heap[hole] = below
      hole = child
    }
    this.heap[hole] = last
  }

  private earlierChild(parent: number): number | undefined {
    const [left, right] = [this.heap[2 * parent + 1], this.heap[2 * parent + 2]]
    if (left === undefined) return undefined
    return right !== undefined && isBefore(right, left) ? 2 * parent + 2 : 2 * parent + 1
  }
}

export class VirtualClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  private readonly timers = new Timers()
  private inserted = 0
  private millis: number

  constructor(startMillis: number) {
    this.millis = startMillis
  }

  unsafeCurrentTimeMillis(): number {
    return this.millis
  }

  unsafeCurrentTimeNanos(): bigint {
    return BigInt(this.millis) * 1_000_000n
  }

  readonly currentTimeMillis: Effect.Effect<number> = Effect.sync(() => this.unsafeCurrentTimeMillis())
  readonly currentTimeNanos: Effect.Effect<bigint> = Effect.sync(() => this.unsafeCurrentTimeNanos())

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      const timer = this.after(Duration.toMillis(duration), () => resume(Effect.void))
      return Effect.sync(() => {
        timer.cancelled = true
      })
    })
  }

  /** Fires the next timer, which moves the time to it. False when there is none left. */
  advance(): boolean {
    for (let next = this.timers.first; next !== undefined; next = this.timers.first) {
      this.timers.removeFirst()
      if (next.cancelled) continue
      this.millis = next.at
      next.fire()
      return true
    }
    return false
  }

  private after(delayMillis: number, fire: () => void): Timer {
    // Whole milliseconds, rounded up: nobody wakes before the time that they asked for.
    const at = this.millis + Math.max(0, Math.ceil(delayMillis))
    const timer: Timer = { at, order: this.inserted++, fire, cancelled: false }
    this.timers.add(timer)
    return timer
  }
}

class FifoScheduler implements Scheduler.Scheduler {
  private tasks: Array<() => void> = []

  scheduleTask(task: () => void): void {
    this.tasks.push(task)
  }

  /** Fibers that compute for long make room for the others, at the same point in every run. */
  shouldYield(fiber: Parameters<Scheduler.Scheduler["shouldYield"]>[0]): number | false {
    return fiber.currentOpCount > 2048 ? 0 : false
  }

  /** Until nobody can go on without time passing. */
  drain(): void {
    while (this.tasks.length > 0) {
      const batch = this.tasks
      this.tasks = []
      for (const task of batch) task()
    }
  }
}

/** 2026-01-01T00:00:00Z */
export const START = 1_767_225_600_000

/**
 * Runs `program` to its end. Throws when it waits for something outside virtual time (a promise, a socket) or for a fiber
 * that waits for it.
 */
export const runVirtual = <A, E>(program: Effect.Effect<A, E>, startMillis = START): Exit.Exit<A, E> => {
  const clock = new VirtualClock(startMillis)
  const scheduler = new FifoScheduler()
  const fiber = Effect.runFork(Effect.withClock(program, clock), { scheduler })
  for (;;) {
    scheduler.drain()
    const exit = fiber.unsafePoll()
    if (exit !== null) return exit
    if (!clock.advance()) throw new Error("Stuck: no fiber can run and no timer is set")
  }
}
