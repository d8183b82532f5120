import { Clock, Duration, Effect, type Exit, type Fiber, GlobalValue } from "effect"
import * as Process from "./Process.js"
import type { Stream } from "./Streams.js"
import { VirtualClock } from "./VirtualClock.js"
import { VirtualScheduler } from "./VirtualScheduler.js"

/** 2026-01-01T00:00:00Z */
export const START = 1_767_225_600_000

export interface EngineOptions {
  readonly startMillis?: number | undefined
  /** Left out: first come, first served. */
  readonly scheduling?: Stream | undefined
}

/** So long nobody waits in vain: what a loop of the service does for somebody is done within days. */
const IN_VAIN_MILLIS = 7 * 86_400_000
const IN_VAIN =
  "Stuck: somebody waits for what never comes, such as a promise: nothing but loops went on for a virtual week"

/** A run cannot go on: everybody waits for something that is not virtual. */
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
 * Runs programs on virtual time: whoever can go on does, and only when nobody can does the time move, to the next timer. One seed is
 * one order of steps. What is asked of the host (a real database) is awaited one call at a time, and the time stands still meanwhile.
 */
export class Engine {
  readonly clock: VirtualClock
  readonly scheduler: VirtualScheduler
  private readonly settling: Array<() => void> = []
  private readonly advancing: Array<Waiter> = []
  private readonly hostCalls: Array<HostCall> = []
  /** When somebody outside last went on because time had passed. */
  private movedAt: number
  /** Around our own steps; what the host does for us is not in it. */
  inside: <A>(work: () => A) => A = (work) => work()

  constructor({ scheduling, startMillis = START }: EngineOptions = {}) {
    this.clock = new VirtualClock(startMillis)
    this.scheduler = new VirtualScheduler(scheduling)
    this.movedAt = startMillis
  }

  /** Fires every timer that is due until then, each with all that follows from it, those of its last millisecond included. */
  advance(duration: Duration.DurationInput): Effect.Effect<void> {
    return Effect.suspend(() => {
      const until = this.clock.monotonic + Math.max(0, Math.ceil(Duration.toMillis(duration)))
      return this.wait(until, () => false)
    })
  }

  /** Returns when nobody can go on without time passing. */
  readonly settle: Effect.Effect<void> = Effect.async((resume) => {
    this.settling.push(() => resume(Effect.void))
  })

  /** Until nothing is waited for but what comes back for ever, at most for so long. Answers how many other timers are left. */
  quiesce(cap: Duration.DurationInput = Duration.infinity): Effect.Effect<{ readonly timersLeft: number }> {
    const left = () => this.clock.timers.left.filter(({ isPeriodic }) => !isPeriodic).length
    return Effect.suspend(() =>
      Effect.map(
        this.wait(this.clock.monotonic + Duration.toMillis(cap), () => left() === 0),
        () => ({ timersLeft: left() })
      )
    )
  }

  /** Sets the time of day forward or, when negative, back. */
  jump(millis: number): Effect.Effect<void> {
    return Effect.sync(() => this.clock.jump(millis))
  }

  /** From now on nothing of the process happens any more: no step, no timer, no finalizer. */
  kill(process: Process.Process): void {
    process.isAlive = false
  }

  /** Starts `effect` in `process`, where it belongs to nobody. */
  spawn<A, E, R>(
    process: Process.Process,
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<Fiber.RuntimeFiber<A, E>, never, R> {
    return Effect.locally(Effect.forkDaemon(effect), Process.current, process)
  }

  /** Has the host do it, in its turn. Its time of day is ours; what it sleeps is its own. Whoever is killed meanwhile has done it. */
  onHost<A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.async<A, E>((resume) => {
      this.scheduler.isHalted = true
      this.hostCalls.push({
        effect: Effect.withClock(effect, hostClock(this.clock)),
        resume: (exit) => resume(exit as Exit.Exit<A, E>)
      })
    })
  }

  /** To the end of `program`, without ever leaving this call. */
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

  /** The same where the host is asked for things. */
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

  /** Nobody can run: somebody who waits for that goes on, or time passes. */
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
    else this.demandHope()
    return this.clock.advance()
  }

  /** Loops come back for ever: with nobody else there, a run would never end. */
  private demandHope(): void {
    const { monotonic, timers } = this.clock
    if (monotonic - this.movedAt <= IN_VAIN_MILLIS || this.advancing.length > 0) return
    if (!timers.left.some(({ isOutside }) => isOutside)) throw new Stuck(IN_VAIN)
  }
}

/** Ours says what time it is, the host's lets time pass. */
const hostClock = (ours: VirtualClock): Clock.Clock => {
  const host = Clock.make()
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => ours.unsafeCurrentTimeMillis(),
    unsafeCurrentTimeNanos: () => ours.unsafeCurrentTimeNanos(),
    currentTimeMillis: ours.currentTimeMillis,
    currentTimeNanos: ours.currentTimeNanos,
    sleep: (duration) => host.sleep(duration)
  }
}

/**
 * Fibres that are left where they stand never tell `effect` that they have ended, and would be kept for ever. Gives what lets go of
 * those that begin from now on.
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
