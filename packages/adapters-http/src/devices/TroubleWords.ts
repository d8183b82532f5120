import type { Device, Silence } from "@place-access/domain/devices"
import type { Language } from "@place-access/domain/shared"
import { isIPv4 } from "node:net"
import { textsIn } from "../languages/index.js"

// The texts about what may be wrong with a phone that sends nothing, or too inexact locations (decision devices-13).

interface TroubleWords {
  readonly title: string
  /** What the owner should check, the most likely cause first. */
  readonly checks: ReadonlyArray<string>
}

type Format = Device.PhoneFormat

/**
 * The apps that exist for iPhones only; the next line has the apps that exist for Android only. All other apps exist
 * for both kinds of phones, so their owners read the advice for iPhones and for Android. The formats `json` and
 * `browser` have no advice about the phone's settings.
 */
const IS_IPHONE_ONLY: ReadonlySet<Format> = new Set<Format>(["overland"])
const IS_ANDROID_ONLY: ReadonlySet<Format> = new Set<Format>(["osmand", "gpslogger"])

interface ByPhone {
  readonly iphone: string
  readonly android: string
}

const forPhones = (format: Format, { android, iphone }: ByPhone): ReadonlyArray<string> =>
  format === "json" || format === "browser"
    ? []
    : [...(IS_ANDROID_ONLY.has(format) ? [] : [iphone]), ...(IS_IPHONE_ONLY.has(format) ? [] : [android])]

/** The title and the checks for a trouble. `address`: the address to which the app must send. */
export const troubleWords = (
  trouble: Silence.Trouble,
  format: Format,
  address: string,
  language: Language.Language
): TroubleWords => {
  const words = textsIn(language).devices.troubles
  switch (trouble) {
    case "never_arrived":
      return {
        title: words.neverArrived,
        checks: [
          words.address(address),
          ...(isPrivate(address) ? [words.network] : []),
          words.switchedOn[format],
          ...forPhones(format, words.permission)
        ]
      }
    case "went_silent":
      return {
        title: words.wentSilent,
        checks: [
          ...(format === "json" ? [] : [words.openOnce]),
          ...forPhones(format, words.battery),
          ...forPhones(format, words.permission),
          words.switchedOn[format]
        ]
      }
    case "imprecise":
      return {
        title: words.imprecise,
        checks: [...forPhones(format, words.precise), words.thickWalls]
      }
  }
}

/** Whether the address belongs to a network at home or at work (RFC 1918, or a name that is known only there). */
const isPrivate = (address: string): boolean => {
  const { hostname } = new URL(address)
  return isIPv4(hostname)
    ? /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./.test(hostname)
    : /\.(?:local|lan|home\.arpa)$/.test(hostname)
}
