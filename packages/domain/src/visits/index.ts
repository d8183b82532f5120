/**
 * Visits: when a user was at a place, from arrival to departure. A phone's operating system reports some visits
 * (`OsVisit`); the others are stays derived from fixes (`Stay`). Stays are stored, and derived again from the time of a
 * change on (`StayProgress`): by workers in `deriveBehind`, by `listVisits` before it answers, and before an archive
 * gets its visits. After an upgrade that changes the rules of stays, `deriveAnew` derives all stays again. `atOnePlace`
 * makes one stop appear at one place only.
 *
 * @module
 */

export { deriveAnew } from "./deriveAnew.js"
export { deriveBehind, deriveStays } from "./deriveStays.js"
export { listVisits, type VisitAt, type VisitPage, type VisitsQuery } from "./listVisits.js"
export * as OsVisit from "./OsVisit.js"
export * as Stay from "./Stay.js"
export * as StayPace from "./StayPace.js"
export * as StayProgress from "./StayProgress.js"
export { type StayCommit, StayStore, type StayView } from "./StayStore.js"
export * as Visit from "./Visit.js"
export * as VisitWords from "./VisitWords.js"
export { type DeviceStay, VisitStore } from "./VisitStore.js"
