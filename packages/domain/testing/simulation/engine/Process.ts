import { Effect, FiberRef, GlobalValue } from "effect"

/** The fibres of one start of a program. The engine can kill them all at once. */
export interface Process {
  readonly name: string
  /** How often the program was started, this start included. */
  readonly epoch: number
  isAlive: boolean
  /** Present while the process is paused, as by SIGSTOP: the steps that its fibres take when it wakes. */
  asleep?: Array<() => void> | undefined
  /** How far the clock of the machine is ahead of the simulation's time of day, in milliseconds. Absent: not at all. */
  skewMillis?: number | undefined
}

/**
 * The process of the scenario and of the simulated people and apps, who are outside the service. It is never killed.
 */
export const WORLD: Process = { name: "world", epoch: 0, isAlive: true }

/** How the process is named in a trace, such as `worker-2`. */
export const label = ({ epoch, name }: Process): string => (epoch === 0 ? name : `${name}-${epoch}`)

/**
 * How a `FiberRef` passes its value on: a child fibre inherits it. A fibre that joins another fibre keeps its own
 * value.
 */
const kept = { fork: <A>(value: A): A => value, join: <A>(mine: A): A => mine }

const global = <A>(name: string, initial: A): FiberRef.FiberRef<A> =>
  GlobalValue.globalValue(`@place-access/domain/testing/simulation/${name}`, () =>
    FiberRef.unsafeMake<A>(initial, kept)
  )

/** The process that a fibre belongs to. */
export const current: FiberRef.FiberRef<Process> = global<Process>("process", WORLD)

/** True in a fibre that runs a loop: its sleeps are pauses between two rounds, and `quiesce` does not wait for them. */
export const isPeriodic: FiberRef.FiberRef<boolean> = global<boolean>("isPeriodic", false)

/** The `i` of the trace entry that began the operation that the fibre works for; null: none. */
export const operation: FiberRef.FiberRef<number | null> = global<number | null>("operation", null)

/** Marks the sleeps of `effect` as periodic: `quiesce` does not wait for them, because loops never stop sleeping. */
export const periodic = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(effect, isPeriodic, true)
