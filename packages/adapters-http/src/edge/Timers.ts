import { Context } from "effect"

/** The clock and the timers for requests that wait for a limited time (`Turns`). */
export interface RequestTimers {
  readonly now: () => number
  /** Runs `then` after `millis` milliseconds, unless the returned function is called earlier. */
  readonly after: (millis: number, then: () => void) => () => void
}

const HOST: RequestTimers = {
  now: () => performance.now(),
  after: (millis, then) => {
    // @effect-diagnostics-next-line globalTimers:off -- clients wait in real time, whatever clock Effect has
    const timer = setTimeout(then, millis)
    return () => clearTimeout(timer)
  }
}

/**
 * The timers for requests that wait. The default is the host's timers, even where Effect has another clock, because
 * clients wait in real time. Only a simulation, whose clients run on its own clock, provides other timers.
 */
export class Timers extends Context.Reference<Timers>()("@place-access/adapters-http/edge/Timers", {
  defaultValue: (): RequestTimers => HOST
}) {}
