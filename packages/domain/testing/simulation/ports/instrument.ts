import { Cause, Context, Effect, FiberRef, GlobalValue } from "effect"
import { StoreError } from "../../../src/shared/Errors.js"
import type { Engine } from "../engine/Engine.js"
import * as Process from "../engine/Process.js"
import type { Recorder } from "../trace/Recorder.js"
import type { Secrets } from "../trace/Secrets.js"
import type { FaultKind, PortCall } from "../Trace.js"
import * as details from "./details.js"
import { DISK, type Faults } from "./Faults.js"
import { type Ports, STORES, type StoreName, type Stores } from "./Ports.js"
import { storesNothing } from "./reads.js"

/**
 * Replaces ports. A test plants a bug in this way and checks that an oracle finds the bug. Copy a store by its methods
 * and not with `{ ...store }`, which loses the methods that the store inherits.
 */
export type Sabotage = (ports: Context.Context<Ports>) => Context.Context<Ports>

export interface Instrumented {
  readonly engine: Engine
  readonly recorder: Recorder
  readonly secrets: Secrets
  readonly faults: Faults
  readonly isHosted: boolean
  /** Kills the process, because a fault struck. */
  readonly onCrash: (process: Process.Process) => Effect.Effect<void>
  /** Pauses the process, as when its machine is suspended, because a fault struck. */
  readonly onPause: (process: Process.Process, millis: number) => Effect.Effect<void>
  /** Sets the clock of the process's machine, and no other clock, because a fault struck. */
  readonly onSkew: (process: Process.Process, millis: number) => void
  /** Rotates the keys of the vault. Returns the id of the new key. */
  readonly onRotate: () => string
}

type Method = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>

/** True while the simulation itself reads a store. The trace leaves these reads out, and no fault strikes them. */
const isQuiet: FiberRef.FiberRef<boolean> = GlobalValue.globalValue(
  "@place-access/domain/testing/simulation/isQuiet",
  () => FiberRef.unsafeMake(false)
)

export const quietly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(effect, isQuiet, true)

/**
 * How long a slow call takes, in milliseconds: times below and above limits of the specification, such as the deadline
 * of a receiver (5 s), a lease (30 s) and the lifetime of a code (60 s).
 */
const SLOW_MILLIS = [1, 100, 999, 4_000, 5_500, 29_000, 31_000, 61_000] as const
/**
 * How long a fault lasts, in milliseconds. `CUT_MILLIS`: a process is cut off from the database. `PAUSE_MILLIS`: a
 * process is suspended. `FULL_MILLIS`: the disk of the database is full. Some lengths are just above the lease of a
 * delivery (30 s), others are below and above the time for which a worker without a heartbeat counts as alive (10 s).
 */
const CUT_MILLIS = [100, 2_000, 20_000, 40_000, 300_000] as const
const PAUSE_MILLIS = [10_000, 31_000, 61_000, 600_000] as const
const FULL_MILLIS = [5_000, 60_000, 600_000] as const
/**
 * How far the clock of a machine may be wrong, in milliseconds. A real process corrects its clock by the database's
 * clock, but an error of up to 250 ms may remain (decision simulation-1).
 */
const SKEW_MILLIS = [-250, -60, -1, 1, 60, 250] as const
const JUMP_MILLIS = [-3_600_000, -61_000, -1_000, 1_000, 61_000, 900_000, 3_600_000] as const

/** Wraps every store. The wrapper records each call and lets faults strike the call. */
export const instrument = (context: Context.Context<Ports>, by: Instrumented): Context.Context<Ports> =>
  Object.entries(STORES).reduce<Context.Context<Ports>>((all, [name, tag]) => {
    const store = tag as unknown as Context.Tag<Stores, Record<string, Method>>
    const wrapped = wrapAll(by, name as StoreName, Context.get(all, store as never) as object)
    return Context.add(all, store, wrapped) as Context.Context<Ports>
  }, context)

/**
 * The store with each method wrapped. `Object.keys` lists only a store's own methods, and these are wrapped
 * immediately. A method that the store inherits from its class is wrapped when it is first read.
 */
const wrapAll = (by: Instrumented, port: StoreName, store: object): Record<string, Method> => {
  const bound = (method: string): Method | undefined => {
    const call: unknown = Reflect.get(store, method)
    return typeof call === "function" ? wrap(by, port, method, call.bind(store) as Method) : undefined
  }
  const own = Object.keys(store).flatMap((method) => {
    const call = bound(method)
    return call === undefined ? [] : [[method, call] as const]
  })
  const wrapped: Record<string, Method | undefined> = Object.fromEntries(own)
  return new Proxy(wrapped, { get: (of, name: string) => (of[name] ??= bound(name)) }) as Record<string, Method>
}

const wrap = (by: Instrumented, port: StoreName, method: string, call: Method): Method => {
  const what: PortMethod = { port, method, name: `${port}.${method}`, isRead: details.isRead(port, method) }
  const ask = (args: ReadonlyArray<unknown>) => (by.isHosted ? by.engine.onHost(call(...args)) : call(...args))
  return (...args) =>
    Effect.withFiberRuntime((fiber) => {
      if (fiber.getFiberRef(isQuiet)) return ask(args)
      const process = fiber.getFiberRef(Process.current)
      const one = new OneCall(by, what, args, process, fiber.getFiberRef(Process.operation))
      const done = () => ask(watch(by, process, what.name, args))
      return by.faults.areOff ? one.well(done) : one.maybeBroken(done)
    })
}

interface PortMethod {
  readonly port: StoreName
  readonly method: string
  /** `port.method`: the name of the call in the trace entry of a fault. */
  readonly name: string
  readonly isRead: boolean
}

type PortWork = () => Effect.Effect<unknown, unknown>

/**
 * One call of a port. This class lets other fibers run before and after the call, injects faults, and records how the
 * call ended.
 */
class OneCall {
  private readonly by: Instrumented
  private readonly what: PortMethod
  private readonly args: ReadonlyArray<unknown>
  private readonly process: Process.Process
  private readonly operation: number | null

  constructor(
    by: Instrumented,
    what: PortMethod,
    args: ReadonlyArray<unknown>,
    process: Process.Process,
    operation: number | null
  ) {
    this.by = by
    this.what = what
    this.args = args
    this.process = process
    this.operation = operation
  }

  well(done: PortWork): Effect.Effect<unknown, unknown> {
    return this.giveWay(() => this.noted(done, (value) => this.ended(value)))
  }

  maybeBroken(done: PortWork): Effect.Effect<unknown, unknown> {
    return this.giveWay(() =>
      Effect.flatMap(this.before(), () => {
        const { engine, faults } = this.by
        const now = engine.clock.monotonic
        if (faults.lasts("port.cut", this.process.name, now)) return this.cutOff(done)
        if (faults.lasts("disk.full", DISK, now) && !storesNothing(this.what.port, this.what.method)) {
          this.note("failed")
          return StoreError.unavailable("the disk is full, on purpose")
        }
        return this.noted(done, (value) => this.after(value))
      })
    )
  }

  /**
   * The process is cut off from the database. Half of the calls reach the database and half do not. The caller gets an
   * error in both cases, so it cannot know which calls took effect.
   */
  private cutOff(done: PortWork): Effect.Effect<never, unknown> {
    const unanswered = StoreError.unavailable("cut off on purpose")
    if (this.by.faults.later.chance(0.5)) {
      this.note("failed")
      return unanswered
    }
    return this.noted(done, (value) => {
      this.note("unknown", value)
      return unanswered
    }) as Effect.Effect<never, unknown>
  }

  /**
   * Lets another fiber run before the next step, if another fiber is ready. So port calls of different fibers can
   * interleave.
   */
  private giveWay<A, E>(then: () => Effect.Effect<A, E>): Effect.Effect<A, E> {
    return this.by.engine.scheduler.isIdle ? then() : Effect.flatMap(Effect.yieldNow(), then)
  }

  private noted(
    done: PortWork,
    onSuccess: (value: unknown) => Effect.Effect<unknown, unknown>
  ): Effect.Effect<unknown, unknown> {
    return Effect.matchCauseEffect(Effect.suspend(done), {
      onFailure: (cause) => {
        this.note(Cause.isInterruptedOnly(cause) ? "lost" : "failed")
        return Effect.failCause(cause)
      },
      onSuccess
    })
  }

  private ended(value: unknown): Effect.Effect<unknown> {
    this.note("ok", value)
    return this.giveWay(() => Effect.succeed(value))
  }

  private note(outcome: PortCall["outcome"], value?: unknown): void {
    const isNews = this.isNews(outcome, value)
    const { method, port } = this.what
    const detail = details.of(port, method)
    if (outcome === "ok" && !isNews && detail.isAlwaysRecorded !== true) return
    const call: PortCall = {
      kind: "port",
      op: this.operation,
      port,
      method,
      outcome,
      ...(detail.args === undefined ? {} : { args: detail.args(this.args) }),
      ...(detail.value === undefined || outcome === "failed" ? {} : { value: detail.value(value) })
    }
    this.by.recorder.add(this.process, call, isNews)
  }

  /**
   * Whether the call may concern other fibers. A call of a worker's loop that only reads, or that finds no work,
   * changes nothing. A failed call of a loop concerns no other fiber either, because the loop itself repeats the call.
   */
  private isNews(outcome: PortCall["outcome"], value?: unknown): boolean {
    if (this.operation !== null) return true
    return outcome !== "failed" && !this.what.isRead && !details.isIdle(value)
  }

  /** Decides by a random number whether the fault strikes at this call. If it strikes, the trace gets an entry. */
  private strikes(fault: FaultKind, isNews = true): boolean {
    if (!this.by.faults.strikes(fault)) return false
    this.tell(fault, this.what.name, isNews)
    return true
  }

  private tell(fault: FaultKind, detail: string, isNews = true): void {
    this.by.recorder.add(this.process, { kind: "fault", fault, detail }, isNews)
  }

  /**
   * Decides by random numbers whether the keys are rotated now, and which of the faults that last longer than this call
   * strike. Begins the faults that strike.
   */
  private begin(): Effect.Effect<void> {
    const { engine, faults } = this.by
    const { name } = this.process
    const { monotonic } = engine.clock
    const drawn = (fault: FaultKind, from: ReadonlyArray<number>): number | undefined => {
      if (!faults.strikes(fault)) return undefined
      const millis = faults.later.pick(from)
      this.tell(fault, `${name} ${millis}`)
      return millis
    }
    const cut = drawn("port.cut", CUT_MILLIS)
    if (cut !== undefined) faults.begin("port.cut", name, monotonic + cut)
    const full = drawn("disk.full", FULL_MILLIS)
    if (full !== undefined) faults.begin("disk.full", DISK, monotonic + full)
    const skew = drawn("clock.skew", SKEW_MILLIS)
    if (skew !== undefined) {
      this.by.onSkew(this.process, skew)
      // The scheduler sets the skew only at the beginning of each step. With the in-memory stores, the present step
      // continues after this call, so the skew must also be set here.
      engine.clock.skewMillis = skew
    }
    if (faults.strikes("keys.rotate")) this.tell("keys.rotate", this.by.onRotate())
    const pause = drawn("process.pause", PAUSE_MILLIS)
    // The process stops at this yield. When the yield returns, the pause is over.
    return pause === undefined ? Effect.void : Effect.zipRight(this.by.onPause(this.process, pause), Effect.yieldNow())
  }

  /** Kills the process. The call never returns. */
  private crash(): Effect.Effect<never> {
    return Effect.zipRight(
      this.by.onCrash(this.process),
      Effect.async<never>(() => undefined)
    )
  }

  private before(): Effect.Effect<unknown, StoreError> {
    return Effect.flatMap(this.begin(), () => this.beforeCall())
  }

  private beforeCall(): Effect.Effect<unknown, StoreError> {
    const { engine, faults } = this.by
    if (this.strikes("clock.jump")) engine.clock.jump(faults.random.pick(JUMP_MILLIS))
    if (this.strikes("crash")) return this.crash()
    if (this.strikes("port.fail", this.isNews("failed"))) {
      this.note("failed")
      return StoreError.unavailable("broken on purpose")
    }
    return this.strikes("port.slow", this.isNews("failed"))
      ? Effect.locally(Effect.sleep(faults.random.pick(SLOW_MILLIS)), Process.isPeriodic, false)
      : Effect.void
  }

  private after(value: unknown): Effect.Effect<unknown, StoreError> {
    if (this.strikes("port.unknown", this.isNews("unknown", value))) {
      this.note("unknown", value)
      return StoreError.unavailable("broken on purpose, though it was done")
    }
    if (this.strikes("crash")) {
      this.note("lost", value)
      return this.crash()
    }
    return this.ended(value)
  }
}

/**
 * Searches the arguments of a call for secrets in the clear, and also the values that functions among the arguments
 * return. Each secret that is found becomes an entry of kind `leak` in the trace.
 */
const watch = (
  { recorder, secrets }: Instrumented,
  process: Process.Process,
  where: string,
  args: ReadonlyArray<unknown>
): ReadonlyArray<unknown> => {
  const report = (value: unknown): void => {
    for (const alias of secrets.in(value)) recorder.add(process, { kind: "leak", alias, where })
  }
  return args.map((arg) => {
    if (typeof arg !== "function") {
      report(arg)
      return arg
    }
    return (...given: ReadonlyArray<unknown>): unknown => {
      const decided: unknown = Reflect.apply(arg, undefined, given)
      report(written(decided))
      return decided
    }
  })
}

/**
 * The decision without its `outcome`. The store does not keep the outcome, but returns it to the program, so the
 * outcome may contain a secret for the caller.
 */
const written = (decided: unknown): unknown =>
  typeof decided === "object" && decided !== null && "outcome" in decided ? { ...decided, outcome: null } : decided
