import type { IncomingMessage, ServerResponse } from "node:http"

/**
 * The time within which a request must arrive. Every request has two minutes at first. This is enough for a phone that
 * sends a long log over a bad line, and stops a client that sends byte by byte. Only a route that takes a large file
 * extends the time (`Upload`), and only after it has authenticated the caller. Otherwise anybody could keep a
 * connection open for half an hour.
 */

const MINUTE = 60_000
const ORDINARY = 2 * MINUTE
/**
 * The time for a request with a large file, counted from `extend`. In this time, a file of 256 MiB arrives at 1.3
 * Mbit/s (it takes 27.5 minutes).
 */
const FOR_A_FILE = 30 * MINUTE

const EXTEND = Symbol("extend the time of a request")

/**
 * The function that extends the time of a request is a property of the request. A map of all requests, even a weak map,
 * would keep each request in memory until the next major garbage collection. The reason: the map's table is an old
 * object, and minor collections keep all objects to which an old object refers.
 */
interface Extensible {
  [EXTEND]?: (() => void) | undefined
}

/** Limits the time in which the request must arrive: closes the connection if the request has not arrived in time. */
export const begin = (request: IncomingMessage, response: ServerResponse): void => {
  const giveUp = () => {
    if (!request.complete) request.destroy()
  }
  // @effect-diagnostics-next-line globalTimers:off -- a timeout of Node's socket: no Effect program runs here
  const after = (millis: number) => setTimeout(giveUp, millis).unref()
  let timer = after(ORDINARY)
  const extensible: Extensible = request as IncomingMessage & Extensible
  extensible[EXTEND] = () => {
    clearTimeout(timer)
    timer = after(FOR_A_FILE)
  }
  response.once("close", () => {
    // The service may answer a request before the whole body has arrived: a 401, for example, needs no body. Then the
    // request is still arriving, so its timer continues.
    if (request.complete || request.socket.destroyed) clearTimeout(timer)
  })
}

/**
 * Gives a request with a large file more time. Call this function only after the route has authenticated the caller.
 */
export const extend = (request: IncomingMessage): void => {
  const extensible: Extensible = request as IncomingMessage & Extensible
  extensible[EXTEND]?.()
  extensible[EXTEND] = undefined
}
