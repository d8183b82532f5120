import { type Context, Deferred, Duration, Effect, FiberId, FiberRef } from "effect"
import { DeliveryStore } from "../../../src/deliveries/DeliveryStore.js"
import { FixStore } from "../../../src/fixes/FixStore.js"
import * as Bucket from "../../../src/leases/Bucket.js"
import { AppId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { Engine } from "../engine/Engine.js"
import { demandDuration, demandMillis, demandWhole } from "../engine/demand.js"
import * as Process from "../engine/Process.js"
import type { Stream } from "../engine/Streams.js"
import type { Ended, Name, Operation } from "../Operations.js"
import { DISK, type Faults, type FaultSetting } from "../ports/Faults.js"
import { quietly } from "../ports/instrument.js"
import type { Ports } from "../ports/Ports.js"
import type { Recorder } from "../trace/Recorder.js"
import type { FaultKind, Posted, ReceivedMessage } from "../Trace.js"
import type { Driver, Perform } from "./Driver.js"
import { demandName, perform } from "./operations/perform.js"
import type { Processes, Program } from "./Processes.js"
import type { Receivers } from "./Receivers.js"
import type { Registry } from "./Registry.js"

/** Stops the scenario, because an operation that the rest of the scenario needs did not succeed. */
export class NotDone extends Error {
  // This class does not extend `Data.TaggedError`: the declared type would then name a type that is missing in the
  // oldest supported version of `effect`.
  readonly _tag = "NotDone"
  override readonly name: Name
  readonly outcome: Ended<Name>

  constructor({ name, outcome }: { readonly name: Name; readonly outcome: Ended<Name> }) {
    super(`${name} was not done: ${JSON.stringify(outcome)}`)
    this.name = name
    this.outcome = outcome
  }
}

export interface Parts {
  readonly engine: Engine
  readonly recorder: Recorder
  readonly registry: Registry
  readonly faults: Faults
  readonly receivers: Receivers
  readonly processes: Processes
  readonly ports: Context.Context<Ports>
  /** The random stream for scenarios. Only scenarios draw from this stream. */
  readonly random: Stream
  /** Default: operations call the domain's programs directly. */
  readonly driver: Driver | undefined
}

/**
 * The default limit of `quiesce`. It is longer than the time from the first attempt of a webhook to its last, plus a
 * lease and a sweep.
 */
export const REST_CAP = "3 days"
/** Once all faults are off, the programs continue interrupted work within this time, in milliseconds. */
const CALM = 2 * Timestamp.MINUTE
/**
 * A time in milliseconds that is longer than the longest wait of a rule in a random run. After a crossing, a rule waits
 * at most 5 minutes. A dwell rule with `silenceS` waits for its dwell time of 5 minutes, and then for 10 minutes at
 * most.
 */
const WAITS = 17 * Timestamp.MINUTE

/**
 * The programs of the service, the faults and the time: everything that the simulated people and the scenario act on.
 */
export class Stage {
  private readonly parts: Parts
  /** Operations that the server has not answered yet, by the number of the trace entry that began each. */
  private readonly open = new Map<number, Deferred.Deferred<Ended<Name>>>()
  /** For each process of the server, the function with which the `Driver` performs operations in it. */
  private readonly drivers = new WeakMap<Process.Process, Deferred.Deferred<Perform>>()

  constructor(parts: Parts) {
    this.parts = parts
    parts.processes.whenOneDies(({ name }) => {
      if (name !== "server") return
      for (const one of this.open.values()) {
        Deferred.unsafeDone(one, Effect.succeed<Ended<Name>>({ _tag: "unknown", because: "crash" }))
      }
      this.open.clear()
    })
  }

  get random(): Stream {
    return this.parts.random
  }

  get faults(): Faults {
    return this.parts.faults
  }

  get registry(): Registry {
    return this.parts.registry
  }

  get receivers(): Receivers {
    return this.parts.receivers
  }

  // ---- time

  readonly now: Effect.Effect<number> = Effect.sync(() => this.parts.engine.clock.timeOfDay)

  /** Lets time pass, and runs everything that becomes due in this time. */
  advance(duration: Duration.DurationInput): Effect.Effect<void> {
    demandDuration("The duration", duration)
    return this.parts.engine.advance(duration)
  }

  /** Lets time pass until the clock shows `moment` (milliseconds since 1970), unless this time has passed. */
  advanceTo(moment: number): Effect.Effect<void> {
    return Effect.flatMap(this.now, (now) => this.advance(Math.max(0, moment - now)))
  }

  /** Waits until no fiber can take a step without virtual time passing. */
  get settle(): Effect.Effect<void> {
    return this.parts.engine.settle
  }

  /** Moves the time of day forward by `millis` milliseconds, or back when the number is negative. */
  jump(millis: number): Effect.Effect<void> {
    demandMillis("The jump", millis)
    return Effect.zipRight(this.note("clock.jump", `${millis}`), this.parts.engine.jump(millis))
  }

  /**
   * Lets time pass until no webhook and no operation is in progress, but at most for `cap`. Returns false when a
   * webhook or an operation is still in progress. The time `cap` begins only after a clock that was set back has caught
   * up, the programs have continued interrupted work, and rules that wait have had the time to fire.
   */
  quiesce(cap: Duration.DurationInput = REST_CAP): Effect.Effect<boolean> {
    return Effect.gen(this, function* () {
      const { clock } = this.parts.engine
      // After the clock was set back, work that was scheduled earlier becomes due only when the clock has caught up.
      yield* this.advance(clock.behindMillis + CALM)
      if (yield* this.hasWaiting) yield* this.advance(WAITS)
      const until = clock.monotonic + Duration.toMillis(cap)
      for (let calm = 0; clock.monotonic < until;) {
        const dueAt = yield* this.nextDue
        calm = dueAt === undefined && this.open.size === 0 ? calm + 1 : 0
        // A sweep may start further deliveries during a wait, so three checks in a row must find nothing in progress.
        if (calm > 2) return true
        const wait = Math.max(CALM, (dueAt ?? 0) - clock.timeOfDay)
        yield* this.advance(Math.min(wait, until - clock.monotonic))
      }
      return (yield* this.nextDue) === undefined && this.open.size === 0
    })
  }

  /** Whether a rule that waits (decisions rules-13 and rules-14) may fire within `WAITS` from now. */
  private get hasWaiting(): Effect.Effect<boolean> {
    const { engine, ports } = this.parts
    return Effect.gen(function* () {
      const until = Timestamp.make(engine.clock.unsafeCurrentTimeMillis() + WAITS)
      return (yield* (yield* FixStore).settling(Bucket.ALL, until, 1)).length > 0
    }).pipe(Effect.orDie, quietly, Effect.provide(ports))
  }

  /**
   * The earliest time at which a delivery in progress is due, in milliseconds since 1970; undefined when none is in
   * progress.
   */
  private get nextDue(): Effect.Effect<number | undefined> {
    const { ports, registry } = this.parts
    return Effect.gen(function* () {
      const store = yield* DeliveryStore
      let first: number | undefined
      for (const appId of registry.apps.keys()) {
        const { items } = yield* store.list(AppId.make(appId), { state: "trying" }, 200, undefined)
        for (const { delivery } of items) first = Math.min(first ?? Infinity, delivery.dueAt ?? Infinity)
      }
      return first
    }).pipe(Effect.orDie, quietly, Effect.provide(ports))
  }

  // ---- operations

  /** Runs an operation in the server's process and returns how the operation ended. */
  perform<N extends Name>(name: N, args: Operation<N>["args"], actor = "world"): Effect.Effect<Ended<N>> {
    demandName(name)
    return Effect.gen(this, function* () {
      const { engine, ports, processes, recorder, registry } = this.parts
      if (name === "importFile") {
        registry.importers.add((args as Operation<"importFile">["args"]).userId)
        yield* Effect.provide(processes.beginImports, ports)
      }
      const begun = recorder.add(Process.WORLD, { kind: "begun", name, actor, args } as never)
      const server = processes.find("server")
      const answer = yield* Deferred.make<Ended<Name>>()
      if (server === undefined) {
        yield* Deferred.succeed<Ended<Name>, never>(answer, { _tag: "unknown", because: "unavailable" })
      } else {
        this.open.set(begun, answer)
        const work = this.driven(server, name, args).pipe(
          Effect.flatMap((ended) => {
            // The server's fiber removes the operation from `open`, because the caller's fiber may have been
            // interrupted before the end of the operation.
            this.open.delete(begun)
            return Deferred.succeed(answer, ended)
          }),
          Effect.locally(Process.operation, begun),
          Effect.provide(ports)
        )
        yield* engine.spawn(server, work)
      }
      const outcome = yield* Deferred.await(answer)
      recorder.add(Process.WORLD, { kind: "done", name, op: begun, outcome } as never)
      return outcome as Ended<N>
    })
  }

  /**
   * Performs an operation in the server's process: through the driver, if the stage has one, otherwise by the domain's
   * program. The first operation of a process starts the driver.
   */
  private driven<N extends Name>(
    server: Process.Process,
    name: N,
    args: Operation<N>["args"]
  ): Effect.Effect<Ended<N>, never, Ports> {
    const { driver, registry } = this.parts
    if (driver === undefined) return perform(name, args, registry)
    return Effect.suspend(() => {
      const started = this.drivers.get(server)
      if (started !== undefined) return Effect.flatMap(Deferred.await(started), (by) => by(name, args))
      const starting = Deferred.unsafeMake<Perform>(FiberId.none)
      this.drivers.set(server, starting)
      return Effect.flatMap(driver.start(registry), (by) =>
        Effect.zipRight(Deferred.succeed(starting, by), by(name, args))
      )
    })
  }

  /**
   * Runs an operation and returns its value. Fails with `NotDone` when the service refuses the operation, or when the
   * outcome is unknown. A scenario calls this when its later steps need the operation.
   */
  do<N extends Name>(
    name: N,
    args: Operation<N>["args"],
    actor = "world"
  ): Effect.Effect<Operation<N>["value"], NotDone> {
    return Effect.flatMap(this.perform(name, args, actor), (outcome) =>
      outcome._tag === "ok" ? Effect.succeed(outcome.value) : Effect.fail(new NotDone({ name, outcome }))
    )
  }

  // ---- faults that the scenario causes

  /** Kills a program between two of its steps. Returns false, and does nothing, when the program is down. */
  crash(name: Program): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      if (this.parts.processes.find(name) === undefined) return Effect.succeed(false)
      return Effect.zipRight(
        this.note("crash", name),
        Effect.sync(() => {
          this.parts.processes.kill(name)
          return true
        })
      )
    })
  }

  /** Starts a program that is down, or an additional worker. */
  restart(name: Program): Effect.Effect<void> {
    return Effect.provide(this.parts.processes.start(name), this.parts.ports)
  }

  /**
   * Pauses a program, as when its machine is suspended. Afterwards the program continues where it stopped, and fibers
   * whose timers fell due during the pause continue late.
   */
  pause(name: Program, millis: number): Effect.Effect<void> {
    demandWhole("The milliseconds of a pause", millis, 0)
    return this.withProcess(name, (process) =>
      Effect.zipRight(
        this.note("process.pause", `${name} ${millis}`, process),
        this.parts.processes.pause(process, millis)
      )
    )
  }

  /** Sets the clock of the machine on which a program runs, and no other clock. 0 means that the clock is right. */
  skew(name: Program, millis: number): Effect.Effect<void> {
    demandMillis("The skew", millis)
    return this.withProcess(name, (process) =>
      Effect.zipRight(
        this.note("clock.skew", `${name} ${millis}`, process),
        Effect.sync(() => this.parts.processes.skew(process, millis))
      )
    )
  }

  /** Cuts a program off from its database. Some calls of the program take effect, but every call ends with an error. */
  cut(name: Program, millis: number): Effect.Effect<void> {
    demandWhole("The milliseconds of a cut", millis, 0)
    return this.withProcess(name, (process) =>
      Effect.zipRight(
        this.note("port.cut", `${name} ${millis}`, process),
        Effect.sync(() => this.parts.faults.begin("port.cut", name, this.parts.engine.clock.monotonic + millis))
      )
    )
  }

  /**
   * Kills every program, calls `putBack`, which replaces the rows by a backup, and starts the programs again. The apps,
   * phones and receivers are outside the service and keep their state (decision simulation-2).
   */
  restore(putBack: () => void): Effect.Effect<void> {
    const { processes, recorder } = this.parts
    return Effect.gen(this, function* () {
      yield* Effect.forEach(processes.names, (name) => this.crash(name), { discard: true })
      putBack()
      recorder.add(Process.WORLD, { kind: "fault", fault: "restore", detail: "" })
      yield* Effect.forEach(processes.names, (name) => this.restart(name), { discard: true })
    })
  }

  /** Fills the database's disk: writes fail, and reads still work. */
  fillDisk(millis: number): Effect.Effect<void> {
    demandWhole("The milliseconds of a full disk", millis, 0)
    return Effect.zipRight(
      this.note("disk.full", `world ${millis}`),
      Effect.sync(() => this.parts.faults.begin("disk.full", DISK, this.parts.engine.clock.monotonic + millis))
    )
  }

  private withProcess(name: Program, then: (process: Process.Process) => Effect.Effect<void>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const process = this.parts.processes.find(name)
      return process === undefined ? Effect.void : then(process)
    })
  }

  /** Turns a fault on. */
  fault(kind: FaultKind, setting: FaultSetting = { p: 1 }): Effect.Effect<void> {
    return Effect.sync(() => this.parts.faults.set(kind, setting))
  }

  /** Turns all faults off, wakes or starts every program and sets every skew to 0. Receivers keep their scripts. */
  get heal(): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      this.parts.faults.heal()
      this.parts.recorder.add(Process.WORLD, { kind: "fault", fault: "heal", detail: "" })
      this.parts.processes.mend()
      yield* Effect.forEach(this.parts.processes.names, (name) => this.restart(name), { discard: true })
    })
  }

  /** Notes in the trace that the run reached a rare situation. */
  mark(mark: string): Effect.Effect<void> {
    return Effect.sync(() => void this.parts.recorder.add(Process.WORLD, { kind: "mark", mark }))
  }

  /** The POSTs that arrived at an address, oldest first. */
  posted(url: string): Effect.Effect<ReadonlyArray<Posted & { readonly t: number }>> {
    return Effect.sync(() =>
      this.parts.recorder.entries.filter((entry) => entry.kind === "posted").filter((entry) => entry.url === url)
    )
  }

  /** The messages that a listener read, oldest first. */
  messagesOf(listenerId: string): Effect.Effect<ReadonlyArray<ReceivedMessage>> {
    return Effect.sync(() =>
      this.parts.recorder.entries.flatMap((entry) =>
        entry.kind === "heard" && entry.listenerId === listenerId ? [entry.message] : []
      )
    )
  }

  /** Writes a fault into the trace. */
  note(fault: FaultKind, detail: string, by?: Process.Process): Effect.Effect<void> {
    return Effect.flatMap(FiberRef.get(Process.current), (process) =>
      Effect.sync(() => void this.parts.recorder.add(by ?? process, { kind: "fault", fault, detail }))
    )
  }

  /**
   * Reads the endpoints and delivery logs of all apps, the access logs of all users, the volume flags, and the imports
   * and history of users who imported files. Oracles find the results in the last entries of the trace.
   */
  get readAll(): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      const { registry } = this.parts
      for (const appId of registry.apps.keys()) {
        yield* this.perform("readEndpoints", { appId }, "reader")
        yield* this.perform("readDeliveries", { appId }, "reader")
      }
      for (const userId of registry.accounts.keys()) yield* this.perform("readAccessLog", { userId }, "reader")
      yield* this.perform("readFlags", {}, "reader")
      for (const userId of registry.importers) {
        yield* this.perform("readImports", { userId }, "reader")
        yield* this.perform("readOwnHistory", { userId }, "reader")
      }
    })
  }
}
