/**
 * Events: an event informs an app about a change of a connection, or about a firing of one of the app's rules. The
 * transaction of a change also stores the event that reports the change (an outbox). Later a worker posts the event to
 * webhook endpoints and legacy receivers, and stores it for listeners. `Event` has all types and their payloads;
 * `WorkSignal` wakes a worker after a commit. Programs that change users' data make events; the room `dispatch` fans
 * them out.
 *
 * @module
 */

export { WorkSignal } from "./WorkSignal.js"
export * as Event from "./Event.js"
