/**
 * Steering: the changes of a connection that the user makes without a request of the app. The user pauses an app, ends
 * exact location, takes permissions away and gives them back, and moves the end date. `Steering` decides each change
 * with a plain function; the programs commit it under the connection's lock. Portal pages and `/v1/user/connections`
 * call these programs.
 *
 * @module
 */

export * as Steering from "./Steering.js"
export * as SteeringNotice from "./SteeringNotice.js"
export {
  changeConnection,
  endExactLocation,
  findLostExactLocation,
  pauseAll,
  pauseConnection,
  restoreExactLocation,
  resumeAll,
  resumeConnection
} from "./steerConnections.js"
