import { Effect, FiberRef, GlobalValue } from "effect"

/** Something that can be killed: the fibres of one start of a program. */
export interface Process {
  readonly name: string
  /** How often the program was started, this time included. */
  readonly epoch: number
  isAlive: boolean
}

/** The people outside, and the scenario itself: never killed. */
export const WORLD: Process = { name: "world", epoch: 0, isAlive: true }

/** How the process stands in a trace, such as `worker-2`. */
export const label = ({ epoch, name }: Process): string => (epoch === 0 ? name : `${name}-${epoch}`)

/** Children are born into it; whoever joins a fibre of another process stays in their own. */
const kept = { fork: <A>(value: A): A => value, join: <A>(mine: A): A => mine }

const global = <A>(name: string, initial: A): FiberRef.FiberRef<A> =>
  GlobalValue.globalValue(`@place-access/domain/testing/simulation/${name}`, () =>
    FiberRef.unsafeMake<A>(initial, kept)
  )

/** The process that a fibre is of. */
export const current: FiberRef.FiberRef<Process> = global<Process>("process", WORLD)

/** Whether what a fibre waits for comes back for ever, such as the next look of a loop. */
export const isPeriodic: FiberRef.FiberRef<boolean> = global<boolean>("isPeriodic", false)

/** The `i` of the entry that began the operation that a fibre works for. */
export const operation: FiberRef.FiberRef<number | null> = global<number | null>("operation", null)

/** A world at rest still does this. */
export const periodic = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(effect, isPeriodic, true)
