import { Context } from "effect"

/** The clock and the timers of requests that wait for a turn. */
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
 * The host's timers, also where the programs run on another clock: clients wait in real time. Only a simulation, whose
 * clients run on its clock too, provides other timers.
 */
export class Timers extends Context.Reference<Timers>()("@place-access/adapters-http/edge/Timers", {
  defaultValue: (): RequestTimers => HOST
}) {}
