import { Context } from "effect"

/** The time in which requests wait for one another. */
export interface RequestTimers {
  readonly now: () => number
  /** Runs `then` after this time, unless the returned function is called before. */
  readonly after: (millis: number, then: () => void) => () => void
}

const HOST: RequestTimers = {
  now: () => performance.now(),
  after: (millis, then) => {
    // @effect-diagnostics-next-line globalTimers:off -- requests wait in real time, also on another clock
    const timer = setTimeout(then, millis)
    return () => clearTimeout(timer)
  }
}

/**
 * The host's timers, also where the programs live on a clock of their own: clients wait in real time. Only a
 * simulation, whose clients live on its clock too, provides others.
 */
export class Timers extends Context.Reference<Timers>()("@place-access/adapters-http/edge/Timers", {
  defaultValue: (): RequestTimers => HOST
}) {}
