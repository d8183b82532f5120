/**
 * Answers to apps about one user: presence at a place, the current place, the place at a moment, the shared places, the
 * check of a zone, and coordinates (Spec §4.4, §4.5). The programs about where the user is or was decide with plain
 * functions (`Presence`, `CurrentPlace`, `PlaceAtMoment`); the programs about coordinates call the programs of `fixes`.
 * The handlers of the HTTP adapter call the programs, and write the text that `Disclosure` returns into the access log.
 *
 * @module
 */

export {
  checkPresence,
  findCurrentPlace,
  listSharedPlaces,
  lookUpPlace,
  type PlacePresence,
  verifyZone
} from "./answerApp.js"
export * as CurrentPlace from "./CurrentPlace.js"
export * as Disclosure from "./Disclosure.js"
export * as PlaceAtMoment from "./PlaceAtMoment.js"
export * as Presence from "./Presence.js"
export { daysForApp, fixesForApp, latestForApp, nearestForApp } from "./readCoordinates.js"
export * as VisiblePlaces from "./VisiblePlaces.js"
