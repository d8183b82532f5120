// Bodies of uploads, as the source code of the phone apps (Overland and others) builds them. `at`: the time of the
// measurement or of the action.

const seconds = (at: number): number => Math.floor(at / 1_000)
/** A time as Overland writes it: in whole seconds, in UTC with `Z`. */
const overlandTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`

/** A location of Overland (GLManager.m, currentDictionaryFromLocation and addMetadataToUpdate). */
export const overlandFix = (at: number, properties: object = {}) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [4.89, 52.37] },
  properties: {
    timestamp: overlandTime(at),
    altitude: 12,
    speed: 4,
    course: 271,
    horizontal_accuracy: 8,
    vertical_accuracy: 3,
    speed_accuracy: 0.5,
    course_accuracy: 2.1,
    motion: ["walking"],
    battery_state: "unplugged",
    battery_level: 0.8,
    device_id: "iphone",
    wifi: "home",
    ...properties
  }
})

/**
 * A visit of Overland (GLManager.m, didVisit). The arrival or the departure is null when iOS says distantPast or
 * distantFuture. `timestamp` is when iOS reported the visit.
 */
export const overlandVisit = (reportedAt: number, arrival: number | null, departure: number | null) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [4.89, 52.37] },
  properties: {
    timestamp: overlandTime(reportedAt),
    action: "visit",
    arrival_date: arrival === null ? null : overlandTime(arrival),
    departure_date: departure === null ? null : overlandTime(departure),
    horizontal_accuracy: 30,
    battery_state: "unplugged",
    battery_level: 0.8,
    device_id: "iphone"
  }
})

/** An action of the app that Overland logs (GLManager.m, logAction): at the last known place, or without a place. */
export const overlandAction = (at: number, geometry?: object) => ({
  type: "Feature",
  properties: { timestamp: overlandTime(at), action: "paused_location_updates" },
  ...(geometry === undefined ? {} : { geometry })
})

/** The summary of a trip by Overland (GLManager.m, writeTripToDB). */
export const overlandTrip = (at: number) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [4.9, 52.38] },
  properties: {
    type: "trip",
    mode: "bicycle",
    timestamp: overlandTime(at),
    start: overlandTime(at - 600_000),
    distance: 900
  }
})

/** A location of OwnTracks for iOS. */
export const owntracksIos = (at: number, more: object = {}) => ({
  _type: "location",
  tst: seconds(at),
  created_at: seconds(at) + 1,
  lat: 52.37,
  lon: 4.89,
  acc: 14,
  alt: 12,
  vac: 9,
  vel: 36,
  cog: 271,
  batt: 80,
  bs: 1,
  conn: "w",
  t: "u",
  m: 1,
  tid: "me",
  p: 101.3,
  inregions: ["Home"],
  inrids: ["a1b2c3"],
  ssid: "home",
  bssid: "0:1:2:3:4:5",
  motionactivities: ["walking"],
  topic: "owntracks/dev/phone",
  ...more
})

/** A location of OwnTracks for Android (MessageLocation.kt): an unknown accuracy or speed is 0. */
export const owntracksAndroid = (at: number, more: object = {}) => ({
  _type: "location",
  _id: "5ac9f0e2",
  BSSID: "00:11:22:33:44:55",
  SSID: "home",
  acc: 0,
  alt: 0,
  batt: 80,
  bs: 1,
  conn: "w",
  created_at: seconds(at) + 1,
  lat: 52.37,
  lon: 4.89,
  m: 1,
  t: "p",
  tid: "me",
  topic: "owntracks/http/me",
  tst: seconds(at),
  vac: 0,
  vel: 0,
  ...more
})

/** Each kind of message of OwnTracks that is no location, with its name. */
export const owntracksOthers = (at: number): ReadonlyArray<readonly [string, object]> => [
  [
    "transition",
    {
      _type: "transition",
      event: "enter",
      desc: "Home",
      wtst: 1,
      t: "c",
      tst: seconds(at),
      lat: 1,
      lon: 1,
      acc: 5,
      tid: "me"
    }
  ],
  ["waypoint", { _type: "waypoint", desc: "Home", lat: 1, lon: 1, rad: 100, tst: 1, rid: "a1" }],
  [
    "waypoints",
    { _type: "waypoints", waypoints: [{ _type: "waypoint", desc: "Home", lat: 1, lon: 1, rad: 9, tst: 1 }] }
  ],
  ["lwt", { _type: "lwt", tst: seconds(at) }],
  ["status", { _type: "status", android: { wifi: 1, ps: 0, bo: 0 } }],
  ["card", { _type: "card", name: "Ada", tid: "me", face: "aGVsbG8=" }],
  ["steps", { _type: "steps", tst: seconds(at), steps: 100, from: 1, to: 2 }],
  ["encrypted", { _type: "encrypted", data: "c2VjcmV0Ym94" }]
]

/** A location of Traccar Client 9 (preferences.dart, `locationTemplate`). */
export const traccarClient = (id: string, at: number, more: object = {}) => ({
  location: {
    timestamp: new Date(at).toISOString(),
    coords: { latitude: 52.37, longitude: 4.89, accuracy: 14, speed: 10, heading: 271, altitude: 12 },
    is_moving: true,
    odometer: 1_234.5,
    event: "motionchange",
    battery: { level: 0.8, is_charging: false },
    activity: { type: "walking" },
    extras: {},
    _: `&id=${id}&lat=52.37&lon=4.89&timestamp=${new Date(at).toISOString()}&`,
    ...more
  },
  device_id: id
})

/**
 * A location of the SDK of Traccar Client 10 (HttpUploader.kt): speeds in knots. As JSON the SDK sends several
 * locations in an array.
 */
export const traccarSdk = (id: string, at: number, more: object = {}) => ({
  id,
  lat: 52.37,
  lon: 4.89,
  timestamp: seconds(at),
  accuracy: 14,
  altitude: 12,
  speed: 19.44,
  bearing: 271,
  batt: 80,
  charge: false,
  ...more
})

/**
 * A location of Traccar Client 8 (ProtocolFormatter.kt), which sends the fields in the query of the address. Locations
 * of GPS have the accuracy 0.0.
 */
export const traccarQuery = (id: string, at: number) => ({
  id,
  timestamp: String(seconds(at)),
  lat: "52.37",
  lon: "4.89",
  speed: "19.438444924406",
  bearing: "271.0",
  altitude: "12.0",
  accuracy: "0.0",
  batt: "80.0"
})

/**
 * Fills in a template as GPSLogger does (CustomUrlManager.java): it replaces one name after the other, in GPSLogger's
 * order, and ignores upper and lower case.
 */
export const gpsLoggerFills = (template: string, at: number, more: Readonly<Record<string, string>> = {}): string => {
  const values: Readonly<Record<string, string>> = {
    lat: "52.37",
    lon: "4.89",
    sat: "9",
    desc: "",
    alt: "12.0",
    acc: "14.5",
    dir: "271.0",
    prov: "gps",
    spd: "10.0",
    timestamp: String(seconds(at)),
    time: new Date(at).toISOString(),
    date: new Date(at).toISOString().slice(0, 10),
    batt: "80.0",
    aid: "a1b2c3d4",
    ser: "unknown",
    act: "",
    filename: "20260301",
    profile: "Default+Profile",
    hdop: "1.0",
    vdop: "",
    pdop: "",
    dist: "900",
    ...more
  }
  return Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(new RegExp(`%${name}`, "gi"), value),
    template
  )
}

/** Encodes the fields of a message as a form. */
export const form = (fields: Readonly<Record<string, unknown>>): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]))
