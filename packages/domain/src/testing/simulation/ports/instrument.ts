import { Cause, Context, Effect, FiberRef, GlobalValue } from "effect"
import { StoreError } from "../../../shared/StoreError.js"
import type { Engine } from "../engine/Engine.js"
import * as Process from "../engine/Process.js"
import type { Recorder } from "../trace/Recorder.js"
import type { Secrets } from "../trace/Secrets.js"
import type { FaultKind, PortCall } from "../Trace.js"
import * as details from "./details.js"
import type { Faults } from "./Faults.js"
import { type Ports, STORES, type StoreName, type Stores } from "./Ports.js"

/** Replaces one port, before the simulation steps in front of it: how a test plants a bug and sees that it is caught. */
export type Sabotage = (ports: Context.Context<Ports>) => Context.Context<Ports>

export interface Instrumented {
  readonly engine: Engine
  readonly recorder: Recorder
  readonly secrets: Secrets
  readonly faults: Faults
  readonly isHosted: boolean
  /** A process dies of an injected fault. */
  readonly onCrash: (process: Process.Process) => Effect.Effect<void>
}

type Method = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>

/** How the simulation itself looks something up: nothing is recorded, nothing goes wrong. */
const isQuiet: FiberRef.FiberRef<boolean> = GlobalValue.globalValue(
  "@place-access/domain/testing/simulation/isQuiet",
  () => FiberRef.unsafeMake(false)
)

export const quietly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(effect, isQuiet, true)

/** Short of a lease, of a receiver's deadline, of a code's and a lease's life, and past them. */
const SLOW_MILLIS = [1, 100, 999, 4_000, 5_500, 29_000, 31_000, 61_000] as const
const JUMP_MILLIS = [-3_600_000, -61_000, -1_000, 1_000, 61_000, 900_000, 3_600_000] as const

/** The same ports with the simulation in front of each store. */
export const instrument = (context: Context.Context<Ports>, by: Instrumented): Context.Context<Ports> =>
  Object.entries(STORES).reduce<Context.Context<Ports>>((all, [name, tag]) => {
    const store = tag as unknown as Context.Tag<Stores, Record<string, Method>>
    const methods = Object.entries(Context.get(all, store as never) as Record<string, Method>)
    const wrapped = Object.fromEntries(
      methods.map(([method, call]) => [method, wrap(by, name as StoreName, method, call)])
    )
    return Context.add(all, store, wrapped) as Context.Context<Ports>
  }, context)

const wrap =
  (by: Instrumented, port: StoreName, method: string, call: Method): Method =>
  (...args) =>
    Effect.withFiberRuntime((fiber) => {
      const done = (args: ReadonlyArray<unknown>) => (by.isHosted ? by.engine.onHost(call(...args)) : call(...args))
      if (fiber.getFiberRef(isQuiet)) return done(args)
      const process = fiber.getFiberRef(Process.current)
      const operation = fiber.getFiberRef(Process.operation)
      const name = `${port}.${method}`
      const watched = watch(by, process, name, args)
      const fault = (fault: FaultKind) => by.recorder.add(process, { kind: "fault", fault, detail: name })
      const note = (outcome: PortCall["outcome"], value?: unknown) => {
        if (operation === null && outcome === "ok" && (details.isRead(method) || details.isIdle(value))) return
        const detail = details.of(port, method)
        by.recorder.add(process, {
          kind: "port",
          op: operation,
          port,
          method,
          outcome,
          ...(detail.args === undefined ? {} : { args: detail.args(args) }),
          ...(detail.value === undefined || outcome === "failed" ? {} : { value: detail.value(value) })
        })
      }
      // The step after it is never taken.
      const crash = Effect.zipRight(
        by.onCrash(process),
        Effect.async<never>(() => undefined)
      )

      const before = Effect.suspend(() => {
        if (by.faults.strikes("clock.jump")) {
          fault("clock.jump")
          by.engine.clock.jump(by.faults.random.pick(JUMP_MILLIS))
        }
        if (by.faults.strikes("crash")) {
          fault("crash")
          return crash
        }
        if (by.faults.strikes("port.fail")) {
          fault("port.fail")
          note("failed")
          return Effect.fail(StoreError.unavailable("broken on purpose"))
        }
        if (!by.faults.strikes("port.slow")) return Effect.void
        fault("port.slow")
        return Effect.sleep(by.faults.random.pick(SLOW_MILLIS))
      })
      const after = (value: unknown) =>
        Effect.suspend(() => {
          if (by.faults.strikes("port.unknown")) {
            fault("port.unknown")
            note("unknown", value)
            return Effect.fail(StoreError.unavailable("broken on purpose, though it was done"))
          }
          if (by.faults.strikes("crash")) {
            note("lost", value)
            fault("crash")
            return crash
          }
          note("ok", value)
          return Effect.as(Effect.yieldNow(), value)
        })
      return Effect.yieldNow().pipe(
        Effect.zipRight(before),
        Effect.zipRight(
          Effect.suspend(() =>
            Effect.tapErrorCause(done(watched), (cause) =>
              Effect.sync(() => note(Cause.isInterruptedOnly(cause) ? "lost" : "failed"))
            )
          )
        ),
        Effect.flatMap(after)
      )
    })

/** Secrets that a call carries as they are become leaks of the trace: in its arguments, and in what its decisions write. */
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

/** What is not written but handed back to the program may hold what its caller is to be told. */
const written = (decided: unknown): unknown =>
  typeof decided === "object" && decided !== null && "outcome" in decided ? { ...decided, outcome: null } : decided
