import type { Place } from "@place-access/domain/places"

/** The texts of the map, and of the fields of a place. */
export const map = {
  label: "Map",
  hint: "Click where the centre is, then drag the pin or the edge of the circle. With the keyboard: arrows move the map, + and − zoom, Enter takes its centre; arrows on the pin or the edge change them.",
  here: "Use where I am now",
  /** OpenStreetMap's licence requires this text on every map: it names the contributors. */
  openStreetMap: "© OpenStreetMap contributors",
  tilesOf: (host: string): string => `Map: ${host}`,
  place: {
    name: "Name",
    nameHint: "What you call it. Apps that you share it with see this name.",
    kind: "Kind",
    lat: "Latitude",
    latHint: "Degrees, such as 52.5208",
    lon: "Longitude",
    lonHint: "Degrees, such as 13.4095",
    radius: "Radius",
    radiusHint:
      "Metres from the centre, 100 to 10,000. Phones are often 50 m off, so a circle smaller than 150 m misses arrivals.",
    /** The error for a place without a centre: `set` is the heading, `how` says what to do. */
    centre: { set: "Set the centre of the place", how: "click the map, use where you are now, or enter it by hand" },
    byHand: "Enter by hand",
    byHandHint:
      "Map services show the coordinates of a point when you hold your finger, or the right mouse button, on it."
  },
  kinds: {
    home: "Home",
    work: "Work",
    school: "School",
    gym: "Gym",
    shop: "Shop",
    restaurant: "Restaurant",
    transit: "Transit",
    health: "Health",
    other: "Other"
  } satisfies Record<Place.PlaceKind, string>,
  // The texts of mapScript and mapNamesScript.
  script: {
    newest: "Your newest location",
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
    centre: "Centre of the place. Drag it, or move it with the arrow keys.",
    edge: "Edge of the circle. Drag it, or move it with the arrow keys.",
    size: "Size of the circle",
    metres: "{metres} metres",
    looking: "Looking for where you are…",
    found: "Found, to within {metres} metres.",
    forbidden: "Your browser is not allowed to say where you are. Allow the location for this page, then try again.",
    notFound: "Your browser could not find where you are. Try again near a window, or choose a point on the map.",
    far: "{name} is {km} km to the {direction}",
    // Clockwise, from the north.
    directions: ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"]
  }
}
