import { Effect } from "effect"
import type { RequestTimers } from "./Timers.js"
import { Turns } from "./Turns.js"

/**
 * Admission control (decision limits-11) limits how many requests this process works on at a time. There is a fixed
 * number of places, and each admitted request takes one place. Without a limit, an overloaded process would slow down
 * every request, keep the memory of all requests, and let requests wait for a database connection until they fail. When
 * all places are taken, a request waits for a moment. If no place becomes free in time, the request is refused with 503
 * and `Retry-After`.
 *
 * Health checks, static assets and the documentation are always admitted.
 */

/**
 * How long a request waits for a place. A client should get its refusal within 250 ms, so after this wait 50 ms remain
 * for writing the refusal.
 */
const WAIT_MILLIS = 200
const WAITING_MAX = 2_000
/** How long a request may wait for its body before it gives its place to another request. */
const BODY_GRACE_MILLIS = 250

const ALWAYS = /^\/(?:healthz|readyz|assets\/|docs(?:[/?]|$))/

export const isExempt = (url: string): boolean => ALWAYS.test(url)

/** A limited number of places. Each place is either free or taken by a request. */
export type Places = Pick<Turns, "isFull" | "release" | "takeAnyway">

/**
 * The place that an admitted request takes. `leave` gives the place to other requests, and `comeBack` takes a place
 * again. `leave` is also called when the request ends; the call has no effect when the request has no place then.
 */
export class RequestPlace {
  private isTaken = true
  private hasMoved = false
  private turns: Places

  constructor(turns: Places) {
    this.turns = turns
  }

  /**
   * Takes one of `places` for the rest of the request, and gives the present place to other requests. A request moves
   * once: later calls have no effect. Returns false when none of `places` is free: the request then keeps its present
   * place.
   */
  moveTo(places: Places): boolean {
    if (this.hasMoved) return true
    if (places.isFull) return false
    this.leave()
    this.turns = places
    this.hasMoved = true
    this.comeBack()
    return true
  }

  leave(): void {
    if (!this.isTaken) return
    this.isTaken = false
    this.turns.release()
  }

  /**
   * Takes a place without waiting, even above the limit: the service does not refuse a request that it has already
   * admitted.
   */
  comeBack(): void {
    if (this.isTaken) return
    this.isTaken = true
    this.turns.takeAnyway()
  }
}

export type Admit = Effect.Effect<RequestPlace | undefined>

/**
 * The returned effect admits one request. It waits for a place if necessary, and yields undefined when no place became
 * free in time. When `WAITING_MAX` requests wait already, it yields undefined immediately.
 */
export const make = (requestsAtOnce: number, timers: RequestTimers): Admit => {
  const turns = new Turns({ atOnce: requestsAtOnce, waitingMax: WAITING_MAX, waitMillis: WAIT_MILLIS }, timers)
  return Effect.map(turns.take, (hasTurn) => (hasTurn ? new RequestPlace(turns) : undefined))
}

/**
 * Gives the request's place to other requests while `waiting` runs. Use this function for work that mostly waits: for
 * the look-up of a host name, for the answer to a test webhook, for the upload of a file, or for the end of earlier
 * uploads of the same person.
 */
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
 * Gives the request's place to other requests when its body takes long to arrive. Otherwise a few clients that send
 * slowly could take every place. Returns a function that takes the place back. The caller calls this function when the
 * body has arrived.
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
