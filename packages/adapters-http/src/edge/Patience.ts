import type { IncomingMessage, ServerResponse } from "node:http"

/**
 * The time within which a request must arrive. Every request has two minutes at first: enough for a phone that sends a
 * long log over a bad line, and a limit for a client that sends byte by byte. Only a route that takes a large file
 * extends the time (`Upload`), and only for a known caller: anybody can request any address, so the address alone must
 * not extend it.
 */

const MINUTE = 60_000
const ORDINARY = 2 * MINUTE
/** The time after the extension. A file of 256 MiB takes 26 minutes at 1.3 Mbit/s. */
const FOR_A_FILE = 30 * MINUTE

const EXTEND = Symbol("extend the time of a request")

/**
 * A request carries its own extension. In a map of all requests, even a weak map, each request would stay in memory
 * until the next major garbage collection: the map's table is old, and minor collections keep what an old object refers
 * to.
 */
interface Extensible {
  [EXTEND]?: (() => void) | undefined
}

/** Closes the connection of a request that has not arrived in time. */
export const begin = (request: IncomingMessage, response: ServerResponse): void => {
  const giveUp = () => {
    if (!request.complete) request.destroy()
  }
  // @effect-diagnostics-next-line globalTimers:off -- a socket's time, below any program
  const after = (millis: number) => setTimeout(giveUp, millis).unref()
  let timer = after(ORDINARY)
  const extensible: Extensible = request as IncomingMessage & Extensible
  extensible[EXTEND] = () => {
    clearTimeout(timer)
    timer = after(FOR_A_FILE)
  }
  response.once("close", () => {
    // A request that was answered early (401 needs no body) is still arriving, so its timer goes on.
    if (request.complete || request.socket.destroyed) clearTimeout(timer)
  })
}

/** Extends the time for a request with a large file. The caller is known and may send it. */
export const extend = (request: IncomingMessage): void => {
  const extensible: Extensible = request as IncomingMessage & Extensible
  extensible[EXTEND]?.()
  extensible[EXTEND] = undefined
}
