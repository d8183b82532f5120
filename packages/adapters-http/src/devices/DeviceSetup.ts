import type { Device } from "@place-access/domain/devices"
import type { Geometry } from "@place-access/domain/places"
import { Language, type Timestamp } from "@place-access/domain/shared"
import { Encoding } from "effect"
import { type TextFiles, textsIn } from "../languages/index.js"

// The set-up instructions name every setting that the phone's app needs to send readings, and to send readings often
// enough while nobody uses the phone (decisions devices-2 and devices-16).

/**
 * The settings for a phone's app, to scan, to open on the phone, or to type in. `qrText`, `link` and `settings` contain
 * the token, or a key with which the app fetches the token. So they are shown only once, when the token is made.
 * `address`, `steps` and `tuning` contain no token and may be shown again.
 */
export interface DeviceSetup {
  /** The address to which the phone sends its readings. */
  readonly address: string
  /** The content of the QR code. */
  readonly qrText: string
  /** A link that fills in `settings` when it is opened on the phone; null when there is no such link. */
  readonly link: string | null
  /** The settings to type in, under the names that the app shows. */
  readonly settings: ReadonlyArray<PhoneSetting>
  /** Instructions for the owner, in order. */
  readonly steps: ReadonlyArray<string>
  /** The settings that decide how often and how exactly the app sends. They contain no token. */
  readonly tuning: ReadonlyArray<PhoneTuning>
}

export interface PhoneSetting {
  readonly name: string
  readonly value: string
}

/**
 * A setting with which the app sends often enough and exactly enough. The link and the QR code contain the setting if
 * the app can read the setting there. Otherwise the owner sets it by hand.
 */
export interface PhoneTuning {
  /** The name that the app shows. */
  readonly name: string
  readonly value: string
  /** The benefit of the setting, and its cost in battery. */
  readonly effect: string
}

export interface SetupContext {
  /** The phone's token; "" when the set-up is shown again: the service does not store the token itself. */
  readonly token: string
  /** The address of the API, without a slash at its end. */
  readonly baseUrl: string
  /** The owner's places. OwnTracks watches the circles of at most `MAX_WAYPOINTS` places. */
  readonly places?: ReadonlyArray<SetupPlace>
  /**
   * The key of the link from which the app fetches its settings, once. Null or left out when the app has no such link.
   */
  readonly setupKey?: string | null
  /** The language of the steps. When left out, the steps are in English, the language of the API. */
  readonly language?: Language.Language
}

/** A circle that an app on the owner's phone, such as OwnTracks, watches. The app identifies it by `createdAt`. */
export interface SetupPlace {
  readonly label: string
  readonly circle: Geometry.Circle
  readonly createdAt: Timestamp.Timestamp
}

export const make = (
  device: Pick<Device.Device, "id" | "format">,
  { baseUrl, language = Language.DEFAULT, places = [], setupKey = null, token }: SetupContext
): DeviceSetup =>
  BY_FORMAT[device.format]({
    id: device.id,
    token,
    baseUrl,
    phone: `${baseUrl}/v1/phone`,
    places,
    setupKey,
    say: textsIn(language).setUp
  })

interface Given {
  readonly id: string
  readonly token: string
  readonly baseUrl: string
  /** The address at which the paths for phones begin, such as `https://places.example/v1/phone`. */
  readonly phone: string
  readonly places: ReadonlyArray<SetupPlace>
  readonly setupKey: string | null
  /**
   * The texts in the owner's language: the steps, the effects of the settings, and a few names and values of settings.
   */
  readonly say: TextFiles["setUp"]
}

/**
 * Overland (https://overland.p3k.app): its README documents the link. The app reads a link only while the app runs
 * (SceneDelegate.m), so the owner must open the app before opening the link.
 */
const overland = ({ id, phone, token, say }: Given): DeviceSetup => {
  const address = `${phone}/overland`
  const link = `overland://setup?${query({ url: address, token, device_id: id })}`
  return {
    address,
    qrText: link,
    link,
    settings: [
      { name: "Receiver Endpoint", value: address },
      { name: "Access Token", value: token },
      { name: "Device ID", value: id }
    ],
    // The set-up link of Overland cannot contain the following settings, so the owner sets them by hand.
    tuning: [
      { name: "Pause Updates Automatically", value: say.off, effect: say.tuning.overland.pauses },
      { name: "Desired Accuracy", value: "10m", effect: say.tuning.overland.accuracy },
      { name: "Defers Location Updates", value: say.off, effect: say.tuning.overland.defers },
      { name: say.tuning.overland.slider, value: "5 min", effect: say.tuning.overland.interval }
    ],
    steps: say.steps.overland(address)
  }
}

/**
 * OwnTracks (https://owntracks.org/booklet/tech/qr/) reads its configuration as JSON in standard base64. The waypoints
 * are the owner's places. With “significant” monitoring the app sends few locations while the phone moves, but it wakes
 * up when the phone crosses the edge of a waypoint.
 */
const owntracks = ({ id, phone, places, token, say }: Given): DeviceSetup => {
  const address = `${phone}/owntracks`
  const all = waypointsOf(places)
  const link = (most: number): string => {
    const waypoints = all.slice(0, most)
    const configuration = {
      _type: "configuration",
      // In mode 3, OwnTracks sends over HTTP.
      mode: 3,
      url: address,
      auth: true,
      username: id,
      password: token,
      deviceId: "phone",
      tid: "me",
      encryptionKey: "",
      monitoring: 1,
      ...OWNTRACKS,
      ...(waypoints.length === 0 ? {} : { waypoints })
    }
    return `owntracks:///config?${query({ inline: Encoding.encodeBase64(JSON.stringify(configuration)) })}`
  }
  return {
    address,
    qrText: fitting(link, Math.min(places.length, MAX_WAYPOINTS)),
    link: link(MAX_WAYPOINTS),
    settings: [
      { name: "Mode", value: "HTTP" },
      { name: "URL", value: address },
      { name: "User name", value: id },
      { name: "Password", value: token }
    ],
    tuning: [
      { name: "Monitoring", value: "Significant", effect: say.tuning.owntracks.monitoring },
      { name: "ping", value: String(OWNTRACKS.ping), effect: say.tuning.owntracks.ping },
      {
        name: "locatorDisplacement",
        value: String(OWNTRACKS.locatorDisplacement),
        effect: say.tuning.owntracks.distance
      },
      { name: "locatorInterval", value: String(OWNTRACKS.locatorInterval), effect: say.tuning.owntracks.interval }
    ],
    steps: say.steps.owntracks(address)
  }
}

/**
 * `ping`: minutes between locations of a phone that does not move; Android allows no fewer than 15.
 * `locatorDisplacement`: with the app's default of 500 m, the app may not notice a place of 150 m. iPhones use
 * `locatorDisplacement` and `locatorInterval` in Move mode only.
 */
const OWNTRACKS = { ping: 15, locatorDisplacement: 100, locatorInterval: 300 } as const

/** iPhones watch at most 20 regions for one app. */
const MAX_WAYPOINTS = 20

/**
 * The greatest length of the text in a QR code, in characters, with which a phone's camera still reads the code well
 * from a screen.
 */
const MAX_QR_TEXT = 1_200

/**
 * The link with at most `most` waypoints. The link has fewer waypoints when a QR code of the longer link would be too
 * dense for a camera.
 */
const fitting = (link: (waypoints: number) => string, most: number): string => {
  const text = link(most)
  return most === 0 || text.length <= MAX_QR_TEXT ? text : fitting(link, most - 1)
}

/**
 * The app identifies a waypoint by `tst`, the time of its creation in seconds, and keeps only one of two waypoints that
 * have the same `tst`. Several places may have been made in one second, so a place whose second is taken gets the next
 * free second.
 */
const waypointsOf = (places: ReadonlyArray<SetupPlace>) => {
  const taken = new Set<number>()
  return places.map(({ circle, createdAt, label }) => {
    let tst = Math.floor(createdAt / 1_000)
    while (taken.has(tst)) tst++
    taken.add(tst)
    return { _type: "waypoint", desc: label, lat: circle.lat, lon: circle.lon, rad: circle.radiusM, tst }
  })
}

/**
 * Traccar Client (configuration_service.dart) accepts the same parameters in the QR code and in a link. The text of the
 * QR code is the server's address with the parameters. By default the app locates the phone by Wi-Fi and cell towers,
 * which is too imprecise for a place of 150 m. Without a heartbeat a phone that does not move sends nothing, and apps
 * get the answer `unknown`.
 */
const traccar = ({ phone, token, say }: Given): DeviceSetup => {
  const address = `${phone}/osmand`
  const settings = { id: token, accuracy: "high", distance: "50", heartbeat: "600", buffer: "true" }
  return {
    address,
    qrText: `${address}?${query(settings)}`,
    link: `org.traccar.client://?${query({ url: address, ...settings })}`,
    settings: [
      { name: "Server URL", value: address },
      { name: "Device identifier", value: token },
      { name: "Location accuracy", value: "High" },
      { name: "Distance", value: "50" },
      { name: "Stationary heartbeat", value: "600" }
    ],
    tuning: [
      { name: "Location accuracy", value: "High", effect: say.tuning.traccar.accuracy },
      { name: "Distance", value: settings.distance, effect: say.tuning.traccar.distance },
      { name: "Stationary heartbeat", value: settings.heartbeat, effect: say.tuning.traccar.heartbeat }
    ],
    steps: say.steps.traccar(address)
  }
}

/**
 * OsmAnd replaces each number in braces by a value. In its source (Location.getAccuracy), `{3}` is the accuracy in
 * metres.
 */
const osmand = ({ phone, token, say }: Given): DeviceSetup => {
  const address = `${phone}/osmand`
  const fields = "lat={0}&lon={1}&timestamp={2}&accuracy={3}&altitude={4}&speed_mps={5}&bearing={6}"
  const webAddress = `${address}?${query({ id: token })}&${fields}`
  return {
    address,
    qrText: webAddress,
    link: null,
    settings: [{ name: "Web address", value: webAddress }],
    tuning: [{ name: "Online tracking interval", value: "1 min", effect: say.tuning.osmand.interval }],
    steps: say.steps.osmand(address)
  }
}

/**
 * GPSLogger (https://gpslogger.app) sends with its feature “Log to custom URL”. The token is not part of the address,
 * because the app writes the address into its log. The app loads a profile from the address that follows
 * `gpslogger://properties/` in a link (ProfileLinkReceiverActivity.java). Browsers open such a link from a page only,
 * so the QR code leads to a page with the link.
 */
const gpslogger = ({ baseUrl, phone, setupKey, token, say }: Given): DeviceSetup => {
  const address = `${phone}/osmand`
  const settings = gpsLoggerSettings(phone, token)
  return {
    address,
    qrText:
      setupKey === null
        ? settings.map(({ name, value }) => `${name}\n${value}`).join("\n\n")
        : `${baseUrl}${GPSLOGGER_PAGE}?${query({ key: setupKey })}`,
    link: setupKey === null ? null : gpsLoggerLink(baseUrl, setupKey),
    settings,
    tuning: GPSLOGGER.map(({ name, text, value }) => ({ name, value, effect: say.tuning.gpslogger[text] })),
    steps: say.steps.gpslogger(address)
  }
}

/** The page to which GPSLogger's QR code leads. */
export const GPSLOGGER_PAGE = "/set-up/gpslogger"

/** The path at which GPSLogger fetches its profile. GPSLogger names the profile after the last part of the path. */
export const GPSLOGGER_PROFILE = "/set-up/place-access.properties"

export const gpsLoggerLink = (baseUrl: string, setupKey: string): string =>
  `gpslogger://properties/${baseUrl}${GPSLOGGER_PROFILE}?${query({ key: setupKey })}`

/** The settings of “Log to custom URL”. In a profile, each key follows `log_customurl_` (PreferenceNames.java). */
const gpsLoggerSettings = (phone: string, token: string) =>
  [
    { key: "url", name: "URL", value: `${phone}/osmand` },
    { key: "method", name: "HTTP Method", value: "POST" },
    {
      key: "headers",
      name: "HTTP Headers",
      value: `Content-Type: application/x-www-form-urlencoded\nAuthorization: Bearer ${token}`
    },
    {
      key: "body",
      name: "HTTP Body",
      value: "timestamp=%TIMESTAMP&lat=%LAT&lon=%LON&accuracy=%ACC&altitude=%ALT&speed_mps=%SPD&bearing=%DIR"
    }
  ] as const

/**
 * The settings that decide when GPSLogger logs, with the keys of its profiles. The distance filter is off (0), because
 * with such a filter a phone that does not move would send nothing.
 */
const GPSLOGGER = [
  { key: "time_before_logging", name: "Logging interval", value: "120", text: "interval" },
  { key: "distance_before_logging", name: "Distance filter", value: "0", text: "distance" },
  { key: "accuracy_before_logging", name: "Accuracy filter", value: "100", text: "accuracy" },
  { key: "startonbootup", name: "Start on bootup", value: "true", text: "bootup" }
] as const

/** The profile that GPSLogger loads: a file of `java.util.Properties`. */
export const gpsLoggerProfile = (baseUrl: string, token: string): string =>
  [
    { key: "log_customurl_enabled", value: "true" },
    ...gpsLoggerSettings(`${baseUrl}/v1/phone`, token).map(({ key, value }) => ({
      key: `log_customurl_${key}`,
      value
    })),
    ...GPSLOGGER
  ]
    .map(({ key, value }) => `${key}=${property(value)}\n`)
    .join("")

/** Escapes a value for a file that `java.util.Properties` reads. */
const property = (value: string): string =>
  value.replace(/[\\:=#!]/g, (character) => `\\${character}`).replaceAll("\n", "\\n")

const json = ({ id, phone, token, say }: Given): DeviceSetup => {
  const address = `${phone}/locations`
  return {
    address,
    qrText: JSON.stringify({ url: address, token, device_id: id }),
    link: null,
    settings: [
      { name: say.address, value: address },
      { name: say.token, value: token }
    ],
    tuning: [
      { name: say.tuning.json.heartbeatName, value: "600 s", effect: say.tuning.json.heartbeat },
      { name: say.tuning.json.distanceName, value: "50 m", effect: say.tuning.json.distance },
      { name: say.tuning.json.accuracyName, value: "100 m", effect: say.tuning.json.accuracy },
      { name: say.tuning.json.uploadName, value: "15 min", effect: say.tuning.json.upload }
    ],
    steps: say.steps.json(address)
  }
}

/** A phone without an app: a page of this service in the phone's browser sends the readings, in the format `json`. */
const browser = (given: Given): DeviceSetup => {
  const { address, ...setup } = json(given)
  return { ...setup, address, tuning: [], steps: given.say.steps.browser(address) }
}

const BY_FORMAT: Readonly<Record<Device.PhoneFormat, (given: Given) => DeviceSetup>> = {
  overland,
  owntracks,
  traccar,
  osmand,
  gpslogger,
  browser,
  json
}

const query = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")
