import type { IncomingMessage, ServerResponse } from "node:http"

/**
 * How long a request may take to arrive. Each begins with the ordinary time: a phone on a bad line sends a long log slowly, and a client
 * that drips is not waited for longer. Only a route that takes a large file, from somebody whom it knows, extends it
 * (`Upload`): an address alone must not, because anybody can ask for any address.
 */

const MINUTE = 60_000
const ORDINARY = 2 * MINUTE
/** From the extension on. A file of 256 MiB takes 26 minutes at 1.3 Mbit/s. */
const FOR_A_FILE = 30 * MINUTE

const extensions = new WeakMap<IncomingMessage, () => void>()

/** Closes the connection of a request that has not arrived in time. */
export const begin = (request: IncomingMessage, response: ServerResponse): void => {
  const giveUp = () => {
    if (!request.complete) request.destroy()
  }
  // @effect-diagnostics-next-line globalTimers:off -- a socket's time, below any program
  const after = (millis: number) => setTimeout(giveUp, millis).unref()
  let timer = after(ORDINARY)
  extensions.set(request, () => {
    clearTimeout(timer)
    timer = after(FOR_A_FILE)
  })
  response.once("close", () => {
    // What was answered before it was whole (401 needs no body) is still on its way.
    if (request.complete || request.socket.destroyed) clearTimeout(timer)
  })
}

/** The request brings a large file. Whoever sends it is known and allowed to. */
export const extend = (request: IncomingMessage): void => {
  extensions.get(request)?.()
  extensions.delete(request)
}
