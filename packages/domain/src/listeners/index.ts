/**
 * Listeners: a developer's machine that receives an app's events over one open HTTP stream, signed like webhooks. A
 * listener exists while its stream is open. An event that could not be sent is not sent again. The HTTP route behind
 * the command `npm run listen` calls `openListener` and `listen`. Workers write the rows that a stream reads, and
 * remove listeners whose stream is gone.
 *
 * @module
 */

export * as Listener from "./Listener.js"
export { ListenerStore } from "./ListenerStore.js"
export { listen, type Listening } from "./listen.js"
export { type NewListener, type OpenedListener, openListener, sweepListeners } from "./manageListeners.js"
