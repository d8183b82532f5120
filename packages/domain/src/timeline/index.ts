/**
 * The pages on which owners see their own data: the first page (`readToday`), a day on a map (`readDay`) with its
 * stays, stops, ways and gaps (`Trace`), the phones, the cards of places, and suggestions for new places. No program
 * here answers an app. The programs read all data through the ports of other rooms. They read visits with `listVisits`,
 * which also answers apps, so the owner sees all visits that apps could see.
 *
 * @module
 */

export * as OwnVisit from "./OwnVisit.js"
export { lastHeard, ownVisits, ownVisitsWithin } from "./ownVisits.js"
export { type AppOfDay, foreseeErasure, readDay, type TimelineDay } from "./readDay.js"
export { readActivity, readToday } from "./readToday.js"
export { type OwnPhone, readPhones, readSending } from "./readPhones.js"
export * as Gpx from "./Gpx.js"
export { readTracks } from "./readTracks.js"
export * as PlaceCard from "./PlaceCard.js"
export { readPlaceCards } from "./readPlaceCards.js"
export * as Suggestion from "./Suggestion.js"
export { suggestPlaces } from "./suggestPlaces.js"
export * as Today from "./Today.js"
export * as Trace from "./Trace.js"
