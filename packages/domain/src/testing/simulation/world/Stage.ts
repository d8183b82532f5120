import { type Context, Deferred, Duration, Effect, FiberRef } from "effect"
import { DeliveryStore } from "../../../deliveries/DeliveryStore.js"
import { AppId } from "../../../shared/Ids.js"
import * as Timestamp from "../../../shared/Timestamp.js"
import type { Engine } from "../engine/Engine.js"
import * as Process from "../engine/Process.js"
import type { Stream } from "../engine/Streams.js"
import type { Ended, Name, Operation } from "../Operations.js"
import type { Faults, FaultSetting } from "../ports/Faults.js"
import { quietly } from "../ports/instrument.js"
import type { Ports } from "../ports/Ports.js"
import type { Recorder } from "../trace/Recorder.js"
import type { FaultKind, Posted } from "../Trace.js"
import { perform } from "./operations/perform.js"
import type { Processes, Program } from "./Processes.js"
import type { Receivers } from "./Receivers.js"
import type { Registry } from "./Registry.js"

/** A scenario asked for something that did not happen, so that it cannot go on. */
export class NotDone extends Error {
  // Not `Data.TaggedError`: its type would name what the oldest `effect` that the package takes does not have.
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
  /** For scenarios that draw: nothing else draws from it. */
  readonly random: Stream
}

/** Longer than the last retry of a webhook takes, with a lease and a sweep on top. */
const REST_CAP = "3 days"
/** Within so long whatever was put down by a fault is picked up again. */
const CALM = 2 * Timestamp.MINUTE

/** What the people outside act on: the programs of the service, their trouble and their time. */
export class Stage {
  private readonly parts: Parts
  /** Operations that the server has not answered, by the entry that began them. */
  private readonly open = new Map<number, Deferred.Deferred<Ended<Name>>>()

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

  readonly now: Effect.Effect<number> = Effect.sync(() => this.parts.engine.clock.unsafeCurrentTimeMillis())

  /** Lets time pass, with everything that happens in it. */
  advance(duration: Duration.DurationInput): Effect.Effect<void> {
    return this.parts.engine.advance(duration)
  }

  /** To a moment on the clock; one that has passed changes nothing. */
  advanceTo(moment: number): Effect.Effect<void> {
    return Effect.flatMap(this.now, (now) => this.advance(Math.max(0, moment - now)))
  }

  /** Lets everybody do what they can do without time passing. */
  get settle(): Effect.Effect<void> {
    return this.parts.engine.settle
  }

  /** Somebody sets the clock of the machine, forward or, when negative, back. */
  jump(millis: number): Effect.Effect<void> {
    return Effect.zipRight(this.note("clock.jump", `${millis}`), this.parts.engine.jump(millis))
  }

  /** Lets time pass until no webhook is under way any more, at most for `cap`. Answers whether that was reached. */
  quiesce(cap: Duration.DurationInput = REST_CAP): Effect.Effect<boolean> {
    return Effect.gen(this, function* () {
      const { clock } = this.parts.engine
      const until = clock.monotonic + Duration.toMillis(cap)
      // What was put down before the clock was set back is picked up when it shows that time again.
      if (clock.behindMillis > 0) {
        yield* this.advance(clock.behindMillis)
        clock.stir()
      }
      yield* this.advance(CALM)
      for (let calm = 0; clock.monotonic < until;) {
        const dueAt = yield* this.nextDue
        calm = dueAt === undefined && this.open.size === 0 ? calm + 1 : 0
        // What a sweep began while it was waited for is waited for, too.
        if (calm > 2) return true
        const wait = Math.max(CALM, (dueAt ?? 0) - clock.unsafeCurrentTimeMillis())
        yield* this.advance(Math.min(wait, until - clock.monotonic))
      }
      return (yield* this.nextDue) === undefined && this.open.size === 0
    })
  }

  /** When the next of the webhooks that are under way is due; undefined when there is none. */
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

  /** Does any operation there is, as the server does it, and says how it ended. */
  perform<N extends Name>(name: N, args: Operation<N>["args"], actor = "world"): Effect.Effect<Ended<N>> {
    return Effect.gen(this, function* () {
      const { engine, ports, processes, recorder, registry } = this.parts
      const begun = recorder.add(Process.WORLD, { kind: "begun", name, actor, args } as never)
      const server = processes.find("server")
      const answer = yield* Deferred.make<Ended<Name>>()
      if (server === undefined) {
        yield* Deferred.succeed<Ended<Name>, never>(answer, { _tag: "unknown", because: "unavailable" })
      } else {
        this.open.set(begun, answer)
        const work = perform(name, args, registry).pipe(
          Effect.flatMap((ended) => {
            // Here, since whoever asked may have gone.
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

  /** The same for whoever cannot go on without it. */
  do<N extends Name>(
    name: N,
    args: Operation<N>["args"],
    actor = "world"
  ): Effect.Effect<Operation<N>["value"], NotDone> {
    return Effect.flatMap(this.perform(name, args, actor), (outcome) =>
      outcome._tag === "ok" ? Effect.succeed(outcome.value) : Effect.fail(new NotDone({ name, outcome }))
    )
  }

  // ---- trouble

  /** Kills a program where it stands; one that is down already is left alone. */
  crash(name: Program): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.parts.processes.find(name) === undefined) return Effect.void
      return Effect.zipRight(
        this.note("crash", name),
        Effect.sync(() => this.parts.processes.kill(name))
      )
    })
  }

  /** Starts a program that was killed, or a worker more. */
  restart(name: Program): Effect.Effect<void> {
    return Effect.provide(this.parts.processes.start(name), this.parts.ports)
  }

  /** From now on things go wrong in this way, so often and so many times. */
  fault(kind: FaultKind, setting: FaultSetting = { p: 1 }): Effect.Effect<void> {
    return Effect.sync(() => this.parts.faults.set(kind, setting))
  }

  /** Nothing goes wrong any more, and every program runs. What receivers do is theirs. */
  get heal(): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      this.parts.faults.heal()
      this.parts.recorder.add(Process.WORLD, { kind: "fault", fault: "heal", detail: "" })
      yield* Effect.forEach(this.parts.processes.names, (name) => this.restart(name), { discard: true })
    })
  }

  /** Something rare was reached. */
  mark(mark: string): Effect.Effect<void> {
    return Effect.sync(() => void this.parts.recorder.add(Process.WORLD, { kind: "mark", mark }))
  }

  /** What came to an address, oldest first. */
  posted(url: string): Effect.Effect<ReadonlyArray<Posted & { readonly t: number }>> {
    return Effect.sync(() =>
      this.parts.recorder.entries.filter((entry) => entry.kind === "posted").filter((entry) => entry.url === url)
    )
  }

  /** Writes a fault into the trace. */
  note(fault: FaultKind, detail: string): Effect.Effect<void> {
    return Effect.flatMap(FiberRef.get(Process.current), (process) =>
      Effect.sync(() => void this.parts.recorder.add(process, { kind: "fault", fault, detail }))
    )
  }

  /** Everything that the people outside could read of what became of it all. */
  get readAll(): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      const { registry } = this.parts
      for (const appId of registry.apps.keys()) {
        yield* this.perform("readEndpoints", { appId }, "reader")
        yield* this.perform("readDeliveries", { appId }, "reader")
      }
      for (const userId of registry.accounts.keys()) yield* this.perform("readAccessLog", { userId }, "reader")
      yield* this.perform("readFlags", {}, "reader")
    })
  }
}
