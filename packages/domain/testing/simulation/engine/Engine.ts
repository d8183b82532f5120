import { Clock, Duration, Effect, type Exit, type Fiber, GlobalValue } from "effect"
import * as Process from "./Process.js"
import type { Stream } from "./Streams.js"
import { VirtualClock } from "./VirtualClock.js"
import { VirtualScheduler } from "./VirtualScheduler.js"

/** The time at which a run begins unless `startMillis` is set: 2026-01-01T00:00:00Z. */
export const START = 1_767_225_600_000

export interface EngineOptions {
  readonly startMillis?: number | undefined
  /** Picks which ready fiber runs next. Default: the fiber that became ready first. */
  readonly scheduling?: Stream | undefined
}

/**
 * A run fails when its scenario makes no progress for this virtual time, in milliseconds, while only the service's
 * loops take steps. The service finishes all work for a user within days, so after a week the scenario must be waiting
 * for something that never happens.
 */
const STUCK_AFTER_MILLIS = 7 * 86_400_000
const STUCK_MESSAGE =
  "Stuck: somebody waits for what never comes, such as a promise: nothing but loops went on for a virtual week"

/**
 * The run cannot go on. Either no fiber can run and no timer is set, or for a virtual week only the polling loops of
 * programs ran, or a program called the host, for example a database, in a run that cannot wait for the host (`run`
 * instead of `runAsync`).
 */
export class Stuck extends Error {
  override readonly name = "Stuck"
}

interface Waiter {
  readonly until: number
  readonly isDone: () => boolean
  readonly resume: () => void
}

interface HostCall {
  readonly effect: Effect.Effect<unknown, unknown>
  readonly resume: (exit: Exit.Exit<unknown, unknown>) => void
}

/**
 * Runs programs on virtual time. The engine runs all fibers that are ready; when no fiber is ready, the engine moves
 * the clock to the next timer. One seed gives one order of steps, so a run can be repeated.
 *
 * A call of the host, such as a query of a real database, takes real time. The engine awaits one such call at a time,
 * and virtual time stands still until the call has returned.
 */
export class Engine {
  readonly clock: VirtualClock
  readonly scheduler: VirtualScheduler
  private readonly settling: Array<() => void> = []
  private readonly advancing: Array<Waiter> = []
  private readonly hostCalls: Array<HostCall> = []
  /** The last virtual time at which a fiber that is not part of a program, such as the scenario, resumed. */
  private movedAt: number
  /**
   * The function that runs each step of the run. The guard sets it, and reports what a step reads of the host. Work of
   * the host itself, such as a database query, runs outside this function, so the guard does not report it.
   */
  inside: <A>(work: () => A) => A = (work) => work()

  constructor({ scheduling, startMillis = START }: EngineOptions = {}) {
    this.clock = new VirtualClock(startMillis)
    this.scheduler = new VirtualScheduler(scheduling)
    this.scheduler.onStep = ({ skewMillis = 0 }) => {
      this.clock.skewMillis = skewMillis
    }
    this.movedAt = startMillis
  }

  /**
   * Moves the clock forward by `duration`. Fires every timer that is due by then, and runs the fibers that each timer
   * wakes.
   */
  advance(duration: Duration.DurationInput): Effect.Effect<void> {
    return Effect.suspend(() => {
      const until = this.clock.monotonic + Math.max(0, Math.ceil(Duration.toMillis(duration)))
      return this.wait(until, () => false)
    })
  }

  /** Completes when no fiber can take a step without virtual time passing. */
  readonly settle: Effect.Effect<void> = Effect.async((resume) => {
    this.settling.push(() => resume(Effect.void))
  })

  /**
   * Lets virtual time pass until only timers of the programs' polling loops are left, but at most for `cap`. Returns
   * the number of other timers that are left.
   */
  quiesce(cap: Duration.DurationInput = Duration.infinity): Effect.Effect<{ readonly timersLeft: number }> {
    const left = () => this.clock.timers.left.filter(({ isPeriodic }) => !isPeriodic).length
    return Effect.suspend(() =>
      Effect.map(
        this.wait(this.clock.monotonic + Duration.toMillis(cap), () => left() === 0),
        () => ({ timersLeft: left() })
      )
    )
  }

  /** Moves the time of day forward by `millis` milliseconds, or back when the number is negative. */
  jump(millis: number): Effect.Effect<void> {
    return Effect.sync(() => this.clock.jump(millis))
  }

  /**
   * From now on the process takes no step until it wakes. A fiber whose timer falls due during the pause continues
   * late.
   */
  pause(process: Process.Process): void {
    process.asleep ??= []
  }

  /** The process continues where it stopped, with the steps that became ready during the pause. */
  wake(process: Process.Process): void {
    const { asleep = [] } = process
    process.asleep = undefined
    for (const step of asleep) step()
  }

  /** From now on the process takes no step: its timers do not fire and its finalizers do not run. */
  kill(process: Process.Process): void {
    process.isAlive = false
  }

  /**
   * Starts `effect` in `process` as a daemon fiber. So the end of the fiber that calls `spawn` does not interrupt
   * `effect`.
   */
  spawn<A, E, R>(
    process: Process.Process,
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<Fiber.RuntimeFiber<A, E>, never, R> {
    return Effect.locally(Effect.forkDaemon(effect), Process.current, process)
  }

  /**
   * Runs `effect` on the host, after all earlier calls of the host. `effect` reads virtual time, but sleeps in real
   * time. Like a query that has reached the database, `effect` runs to its end even when the calling process is killed
   * during the call.
   */
  onHost<A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.async<A, E>((resume) => {
      this.scheduler.isHalted = true
      this.hostCalls.push({
        effect: Effect.withClock(effect, hostClock(this.clock, this.clock.skewMillis)),
        resume: (exit) => resume(exit as Exit.Exit<A, E>)
      })
    })
  }

  /** Runs `program` to its end inside this call. Throws `Stuck` when the program calls the host. */
  run<A, E>(program: Effect.Effect<A, E>): Exit.Exit<A, E> {
    const forget = abandoned()
    try {
      const fiber = this.inside(() => this.begin(program))
      for (;;) {
        this.inside(() => this.scheduler.drain())
        const exit = fiber.unsafePoll()
        if (exit !== null) return exit
        if (this.hostCalls.length > 0) throw new Stuck("Stuck: the host is asked for something; use runAsync")
        if (!this.inside(() => this.goOn())) throw new Stuck("Stuck: no fiber can run and no timer is set")
      }
    } finally {
      forget()
    }
  }

  /** Runs `program` to its end, and awaits each call of the host that the program makes. */
  async runAsync<A, E>(program: Effect.Effect<A, E>): Promise<Exit.Exit<A, E>> {
    const forget = abandoned()
    try {
      const fiber = this.inside(() => this.begin(program))
      for (;;) {
        this.inside(() => this.scheduler.drain())
        const exit = fiber.unsafePoll()
        if (exit !== null) return exit
        const call = this.hostCalls.shift()
        if (call !== undefined) {
          const exit = await Effect.runPromiseExit(call.effect)
          this.inside(() => this.scheduler.answer(() => call.resume(exit)))
        } else if (!this.inside(() => this.goOn())) throw new Stuck("Stuck: no fiber can run and no timer is set")
      }
    } finally {
      forget()
    }
  }

  private begin<A, E>(program: Effect.Effect<A, E>): Fiber.RuntimeFiber<A, E> {
    return Effect.runFork(Effect.withClock(program, this.clock), { scheduler: this.scheduler })
  }

  private wait(until: number, isDone: () => boolean): Effect.Effect<void> {
    return Effect.async((resume) => {
      this.advancing.push({ until, isDone, resume: () => resume(Effect.void) })
    })
  }

  /**
   * The engine calls this function when no fiber can run. Resumes a fiber that waits in `settle`, `quiesce` or
   * `advance`, or moves the clock to the next timer. Returns false when neither is possible.
   */
  private goOn(): boolean {
    const settled = this.settling.shift()
    if (settled !== undefined) {
      this.movedAt = this.clock.monotonic
      settled()
      return true
    }
    const done = this.advancing.findIndex(({ isDone }) => isDone())
    if (done >= 0) {
      this.movedAt = this.clock.monotonic
      this.advancing.splice(done, 1)[0]?.resume()
      return true
    }
    const next = this.clock.timers.first
    const waiter = this.advancing.reduce<Waiter | undefined>(
      (first, one) => (first === undefined || one.until < first.until ? one : first),
      undefined
    )
    if (waiter !== undefined && Number.isFinite(waiter.until) && (next === undefined || next.at > waiter.until)) {
      this.clock.moveTo(waiter.until)
      this.movedAt = waiter.until
      this.advancing.splice(this.advancing.indexOf(waiter), 1)
      waiter.resume()
      return true
    }
    if (next === undefined) return false
    if (next.isOutside) this.movedAt = next.at
    else this.failIfStuck()
    return this.clock.advance()
  }

  /**
   * Fails a run when its scenario has not resumed for a virtual week and only programs wait for timers. Without this
   * check the run would not end, because the polling loops of programs set a new timer after each timer.
   */
  private failIfStuck(): void {
    const { monotonic, timers } = this.clock
    if (monotonic - this.movedAt <= STUCK_AFTER_MILLIS || this.advancing.length > 0) return
    if (!timers.left.some(({ isOutside }) => isOutside)) throw new Stuck(STUCK_MESSAGE)
  }
}

/**
 * A clock for work that runs on the host, such as a database query. The clock shows virtual time, plus the skew of the
 * simulated machine that called the host. A sleep on this clock takes real time.
 */
const hostClock = (ours: VirtualClock, skewMillis: number): Clock.Clock => {
  const host = Clock.make()
  const millis = () => ours.timeOfDay + skewMillis
  const nanos = () => BigInt(millis()) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => host.sleep(duration)
  }
}

/**
 * Returns a function that removes all fibers that started after this call from a global set of `effect`. A fiber that
 * the run abandons never ends, so `effect` would keep the fiber in this set, and in memory, as long as the host process
 * runs.
 */
const abandoned = (): (() => void) => {
  const { roots } = GlobalValue.globalValue(Symbol.for("effect/FiberScope/Global"), () => ({
    roots: new Set<unknown>()
  }))
  const before = new Set(roots)
  return () => {
    for (const fiber of roots) if (!before.has(fiber)) roots.delete(fiber)
  }
}
