/**
 * Test people: made-up people of an app in the sandbox, with places, a phone and a connection. Their developer sends
 * them on trips (`simulateTrip`), and everything behind it is real: uploads, rules, webhooks, visits and the access
 * log. A test person is an account that nobody can sign in with, and that is deleted like every account.
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
