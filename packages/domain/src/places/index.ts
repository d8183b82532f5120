/**
 * Places: the circles that a user names, such as Home. A place can be moved, resized, renamed and archived. Each change
 * of the centre or radius makes a new version of the circle. Earlier versions stay (`Shape`), because the circle at the
 * time of a visit decides whether the visit was at the place. `Coordinates` has the schemas of latitude, longitude and
 * radius. `Geometry` measures distances on the ellipsoid and decides inside, outside or too near the edge. The user's
 * pages call the programs of `managePlaces.ts`.
 *
 * @module
 */

export { createPlace, listPlaces, updatePlace } from "./managePlaces.js"
export * as Coordinates from "./Coordinates.js"
export * as Geometry from "./Geometry.js"
export * as Place from "./Place.js"
export { PlaceStore } from "./PlaceStore.js"
export * as Shape from "./Shape.js"
