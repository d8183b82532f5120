import { Effect, FiberRef, GlobalValue } from "effect"

/** A program from one start until its end. A process is a set of fibers, which the engine can kill together. */
export interface Process {
  readonly name: string
  /** The number of times that the program has been started, including this start; 0 only for `WORLD`. */
  readonly epoch: number
  isAlive: boolean
  /**
   * Present while the process is paused, as by the signal SIGSTOP: the steps that became ready during the pause, in
   * order.
   */
  asleep?: Array<() => void> | undefined
  /**
   * How far the clock of the process's machine is ahead of the simulation's time of day, in milliseconds. Absent: 0.
   */
  skewMillis?: number | undefined
}

/**
 * The process of the scenario and of the simulated people and apps, who are outside the service. Nothing kills this
 * process.
 */
export const WORLD: Process = { name: "world", epoch: 0, isAlive: true }

/** The name of the process in a trace, such as `worker-2`. */
export const label = ({ epoch, name }: Process): string => (epoch === 0 ? name : `${name}-${epoch}`)

/**
 * Options of a `FiberRef`: a child fiber inherits the value of its parent, and a parent that joins a child keeps its
 * own value.
 */
const kept = { fork: <A>(value: A): A => value, join: <A>(mine: A): A => mine }

const global = <A>(name: string, initial: A): FiberRef.FiberRef<A> =>
  GlobalValue.globalValue(`@place-access/domain/testing/simulation/${name}`, () =>
    FiberRef.unsafeMake<A>(initial, kept)
  )

/** The process that a fiber belongs to. */
export const current: FiberRef.FiberRef<Process> = global<Process>("process", WORLD)

/**
 * True in a fiber that runs a polling loop of a program. The loop sleeps between two rounds, and `quiesce` does not
 * wait for the end of these sleeps.
 */
export const isPeriodic: FiberRef.FiberRef<boolean> = global<boolean>("isPeriodic", false)

/** The number `i` of the trace entry that began the fiber's operation; null when the fiber works for no operation. */
export const operation: FiberRef.FiberRef<number | null> = global<number | null>("operation", null)

/**
 * Marks `effect` as a polling loop of a program. `quiesce` does not wait for the sleeps of a loop, because a loop never
 * ends.
 */
export const periodic = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(effect, isPeriodic, true)
