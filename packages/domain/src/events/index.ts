/**
 * Events: what happened to a connection or one of its rules, for the app to know. An event is written in the same
 * transaction as the change that it reports (an outbox), and later posted to webhook endpoints and listeners. `Event`
 * has all types and their payloads; `WorkSignal` wakes a worker after a commit. Programs that change users' data make
 * events; `dispatch` fans them out.
 *
 * @module
 */

export { WorkSignal } from "./WorkSignal.js"
export * as Event from "./Event.js"
