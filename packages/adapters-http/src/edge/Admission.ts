import { Effect } from "effect"
import type { RequestTimers } from "./Timers.js"
import { Turns } from "./Turns.js"

/**
 * Admission control (decision limits-11): how many requests this process works on at once. Under overload, requests
 * beyond that number would all be slow, hold memory, and wait for a connection of the database until they fail.
 * Instead, such a request waits here for a moment. If it gets no place in time, it is refused with 503 and
 * `Retry-After`.
 *
 * Health checks and texts that need no database are always admitted.
 */

/** The longest wait for a place. A client gets its refusal within 250 ms, so some time remains for writing it. */
const WAIT_MILLIS = 200
const WAITING_MAX = 2_000
/** How long a request may wait for its body before it gives its place to another request. */
const BODY_GRACE_MILLIS = 250

const ALWAYS = /^\/(?:healthz|readyz|assets\/|docs(?:[/?]|$))/

export const isExempt = (url: string): boolean => ALWAYS.test(url)

/**
 * The place of an admitted request. `leave` gives the place to others, `comeBack` takes a place again. At its end the
 * request leaves once more, which does nothing if it has left already.
 */
export class RequestPlace {
  private isTaken = true
  private readonly turns: Turns

  constructor(turns: Turns) {
    this.turns = turns
  }

  leave(): void {
    if (!this.isTaken) return
    this.isTaken = false
    this.turns.release()
  }

  /** Takes a place without waiting, even above the limit: a request that was admitted once is not refused later. */
  comeBack(): void {
    if (this.isTaken) return
    this.isTaken = true
    this.turns.takeAnyway()
  }
}

export type Admit = Effect.Effect<RequestPlace | undefined>

/** Admits a request, which may wait for its place. The effect yields undefined when the request is refused. */
export const make = (requestsAtOnce: number, timers: RequestTimers): Admit => {
  const turns = new Turns({ atOnce: requestsAtOnce, waitingMax: WAITING_MAX, waitMillis: WAIT_MILLIS }, timers)
  return Effect.map(turns.take, (hasTurn) => (hasTurn ? new RequestPlace(turns) : undefined))
}

/** Gives the place to others during `waiting`, in which this process has no work to do for the request. */
export const aside = <A, E, R>(
  place: RequestPlace | undefined,
  waiting: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  place === undefined
    ? waiting
    : Effect.suspend(() => {
        place.leave()
        return Effect.ensuring(
          waiting,
          Effect.sync(() => place.comeBack())
        )
      })

/**
 * Gives the place to others when a body takes long to arrive. Otherwise a few clients that send slowly could take every
 * place. Returns a function that takes the place back when the body has arrived.
 */
export const duringBody = (place: RequestPlace | undefined): (() => void) => {
  if (place === undefined) return NOTHING
  // @effect-diagnostics-next-line globalTimers:off -- a timeout of Node's socket: no Effect program runs here
  const timer = setTimeout(() => place.leave(), BODY_GRACE_MILLIS)
  return () => {
    clearTimeout(timer)
    place.comeBack()
  }
}

const NOTHING = () => undefined
