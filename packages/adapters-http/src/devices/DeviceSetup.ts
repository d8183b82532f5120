import type { Device } from "@place-access/domain/devices"
import { Encoding } from "effect"

// Decision devices-2.

/**
 * The settings for a phone's app, to scan, to open on the phone, or to type in. `qrText`, `link` and `settings` contain
 * the token, so they are shown once, together with it. `address` and `steps` contain no token and may be shown again.
 */
export interface DeviceSetup {
  /** The address to which the phone sends its readings. */
  readonly address: string
  /** The content of the QR code. */
  readonly qrText: string
  /** A link that fills in all settings when it is opened on the phone; null for an app without such links. */
  readonly link: string | null
  /** The settings to type in, under the names that the app shows. */
  readonly settings: ReadonlyArray<PhoneSetting>
  /** Instructions for the owner, in order. */
  readonly steps: ReadonlyArray<string>
}

export interface PhoneSetting {
  readonly name: string
  readonly value: string
}

/** `baseUrl`: the address of the API, without a slash at its end. */
export const make = (device: Pick<Device.Device, "id" | "format">, token: string, baseUrl: string): DeviceSetup =>
  BY_FORMAT[device.format]({ id: device.id, token, phone: `${baseUrl}/v1/phone` })

interface Given {
  readonly id: string
  readonly token: string
  /** The common beginning of the addresses for phones. */
  readonly phone: string
}

/** https://overland.p3k.app: the link is documented in the app's README. */
const overland = ({ id, phone, token }: Given): DeviceSetup => {
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
    steps: [
      "Install Overland from the App Store on the iPhone.",
      "Point the iPhone's camera at the QR code, or open the link on the iPhone: Overland takes the settings over.",
      "In Overland, allow the location always, and switch tracking on.",
      "Leave “Logging Mode” on “All Data”. Overland's own visits are switched on with the first upload."
    ]
  }
}

/** https://owntracks.org/booklet/tech/qr/: the configuration as JSON, in standard base64. */
const owntracks = ({ id, phone, token }: Given): DeviceSetup => {
  const address = `${phone}/owntracks`
  const configuration = {
    _type: "configuration",
    // HTTP
    mode: 3,
    url: address,
    auth: true,
    username: id,
    password: token,
    deviceId: "phone",
    tid: "me",
    encryptionKey: ""
  }
  const link = `owntracks:///config?${query({ inline: Encoding.encodeBase64(JSON.stringify(configuration)) })}`
  return {
    address,
    qrText: link,
    link,
    settings: [
      { name: "Mode", value: "HTTP" },
      { name: "URL", value: address },
      { name: "User name", value: id },
      { name: "Password", value: token }
    ],
    steps: [
      "Install OwnTracks on the iPhone or Android phone, and start it once.",
      "Point the phone's camera at the QR code, or open the link on the phone, and accept the new configuration.",
      "Allow the location always.",
      "Leave the encryption key empty: what is encrypted in the app can't be read here. HTTPS protects it on its way."
    ]
  }
}

/** Traccar Client takes the address and the identifier from a scanned address; OsmAnd fills in what is in braces. */
const osmand = ({ phone, token }: Given): DeviceSetup => {
  const address = `${phone}/osmand`
  return {
    address,
    qrText: `${address}?${query({ id: token })}`,
    link: null,
    settings: [
      { name: "Server URL (Traccar Client)", value: address },
      { name: "Device identifier (Traccar Client)", value: token },
      {
        name: "Web address (OsmAnd)",
        value: `${address}?${query({ id: token })}&lat={0}&lon={1}&timestamp={2}&altitude={4}&speed_mps={5}&bearing={6}`
      }
    ],
    steps: [
      "Install Traccar Client on the iPhone or Android phone.",
      "In its settings, scan the QR code, or type in the server URL and the device identifier.",
      "Leave offline buffering on, allow the location always, and switch continuous tracking on.",
      "With OsmAnd instead: in the plugin “Trip recording”, switch online tracking on and type in the web address."
    ]
  }
}

/**
 * https://gpslogger.app, “Log to custom URL”. The token stays out of the address, which the app writes into its log.
 */
const gpslogger = ({ phone, token }: Given): DeviceSetup => {
  const address = `${phone}/osmand`
  const settings = [
    { name: "URL", value: address },
    { name: "HTTP Method", value: "POST" },
    {
      name: "HTTP Headers",
      value: `Content-Type: application/x-www-form-urlencoded\nAuthorization: Bearer ${token}`
    },
    {
      name: "HTTP Body",
      value: "timestamp=%TIMESTAMP&lat=%LAT&lon=%LON&accuracy=%ACC&altitude=%ALT&speed_mps=%SPD&bearing=%DIR"
    }
  ]
  return {
    address,
    qrText: settings.map(({ name, value }) => `${name}\n${value}`).join("\n\n"),
    link: null,
    settings,
    steps: [
      "Install GPSLogger on the Android phone, from F-Droid or its site.",
      "Scan the QR code with the phone to have the four texts there, ready to be copied.",
      "In GPSLogger, under “Logging details”, switch “Log to custom URL” on and fill in the four fields.",
      "Allow the location always and start logging. When it sends a whole file again, nothing is stored twice."
    ]
  }
}

const json = ({ id, phone, token }: Given): DeviceSetup => {
  const address = `${phone}/locations`
  return {
    address,
    qrText: JSON.stringify({ url: address, token, device_id: id }),
    link: null,
    settings: [
      { name: "Address", value: address },
      { name: "Token", value: token }
    ],
    steps: [
      "Open your app's upload settings, or scan the QR code with it.",
      `Send locations as JSON with POST to ${address}.`,
      "Send the header Authorization: Bearer followed by a space and the token. It is shown only once.",
      "When an upload fails, send it again later: nothing is stored twice."
    ]
  }
}

const BY_FORMAT: Readonly<Record<Device.PhoneFormat, (given: Given) => DeviceSetup>> = {
  overland,
  owntracks,
  osmand,
  gpslogger,
  json
}

const query = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")
