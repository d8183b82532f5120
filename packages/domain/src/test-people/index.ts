/**
 * Test people: made-up people of an app that is not in production, with places, a phone and a connection. The app's
 * developers send test people on trips (`simulateTrip`). The trip is simulated, but the uploads, rules, webhooks,
 * visits and the access log work as for real people. A test person is an account that nobody can sign in with, and is
 * deleted like every account.
 *
 * @module
 */

export {
  getTestPerson,
  listTestPeople,
  type MadeTestPerson,
  makeTestPerson,
  removeStrayTestPeople,
  removeTestPerson
} from "./manageTestPeople.js"
export { readLog } from "./readLog.js"
export { simulateTrip, type Simulated, type TripRequest } from "./simulateTrip.js"
export * as TestPerson from "./TestPerson.js"
export { TestPersonStore } from "./TestPersonStore.js"
export * as Trip from "./Trip.js"
