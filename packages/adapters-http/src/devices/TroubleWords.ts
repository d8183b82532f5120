import type { Device, Silence } from "@place-access/domain/devices"

// Decision devices-13.

interface TroubleWords {
  readonly title: string
  /** What to look at, the most likely cause first. */
  readonly checks: ReadonlyArray<string>
}

type Format = Device.PhoneFormat

/** Apps for iPhones only. Others run on Android phones as well, which save battery in their own ways. */
const IS_IPHONE_ONLY: ReadonlySet<Format> = new Set<Format>(["overland"])
const IS_ANDROID_ONLY: ReadonlySet<Format> = new Set<Format>(["osmand", "gpslogger"])

const IPHONE_PERMISSION =
  "Permission, iPhone: in Settings, under Privacy, Location Services, the app must have “Always”."
const ANDROID_PERMISSION =
  "Permission, Android: in the settings of the app, under Permissions, Location must be “Allow all the time”."
const IPHONE_PRECISE =
  "iPhone: in Settings, under Privacy, Location Services, switch “Precise Location” on for the app."
const ANDROID_PRECISE = "Android: in the settings of the app, under Permissions, Location, switch precise location on."
const IPHONE_BATTERY =
  "Battery, iPhone: Low Power Mode stops apps in the background. So does closing the app by a swipe."
const ANDROID_BATTERY =
  "Battery, Android: in the settings of the app, set the battery use to “Unrestricted”. Battery savers stop the app."

const forPhones = (format: Format, iphone: string, android: string): ReadonlyArray<string> =>
  format === "json" || format === "browser"
    ? []
    : [...(IS_ANDROID_ONLY.has(format) ? [] : [iphone]), ...(IS_IPHONE_ONLY.has(format) ? [] : [android])]

/** The switch of each app that people forget. */
const SWITCHED_ON: Readonly<Record<Format, string>> = {
  overland: "Overland's tracking must be on.",
  owntracks: "OwnTracks's monitoring must not be “Quiet” or “Manual”, and its mode must be HTTP.",
  traccar: "Traccar Client's continuous tracking must be on.",
  osmand: "OsmAnd sends only while it records a trip, with online tracking on.",
  gpslogger: "GPSLogger must be logging, with “Log to custom URL” on.",
  browser: "The page “Share from this browser” must be open, and the browser must allow it the location.",
  json: "Look at the status of your program's last request. 401 means that the token is wrong."
}

/** `address`: where the app must send to. */
export const troubleWords = (trouble: Silence.Trouble, format: Format, address: string): TroubleWords => {
  switch (trouble) {
    case "never_arrived":
      return {
        title: "Nothing has arrived yet",
        checks: [
          `Address: the app must have exactly ${address}, and the token that was shown with it.`,
          ...(isPrivate(address)
            ? ["Network: phones reach this address only from your own network, and not over mobile data."]
            : []),
          SWITCHED_ON[format],
          ...forPhones(format, IPHONE_PERMISSION, ANDROID_PERMISSION)
        ]
      }
    case "went_silent":
      return {
        title: "It has stopped sending",
        checks: [
          ...(format === "json" ? [] : ["Open the app once. Most apps then send what they have kept."]),
          ...forPhones(format, IPHONE_BATTERY, ANDROID_BATTERY),
          ...forPhones(format, IPHONE_PERMISSION, ANDROID_PERMISSION),
          SWITCHED_ON[format]
        ]
      }
    case "imprecise":
      return {
        title: "Its locations are inexact",
        checks: [
          ...forPhones(format, IPHONE_PRECISE, ANDROID_PRECISE),
          "Inside thick walls phones know no better. Wait until the phone is near a window."
        ]
      }
  }
}

/** Whether the address belongs to a network at home or at work (RFC 1918, or a name that only it knows). */
const isPrivate = (address: string): boolean =>
  /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|.*\.(?:local|lan|home\.arpa)$)/.test(new URL(address).hostname)
