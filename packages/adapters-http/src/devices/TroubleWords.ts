import { Device, type Silence } from "@place-access/domain/devices"
import type { Language } from "@place-access/domain/shared"
import { isIPv4 } from "node:net"
import { textsIn } from "../languages/index.js"
import { KINDS, type PhoneKind } from "./PhoneKind.js"

// The texts about what may be wrong with a phone that sends nothing, or that sends locations which are too inexact
// (decision devices-13).

interface TroubleWords {
  readonly title: string
  /** What the owner should check, the most likely cause first. */
  readonly checks: ReadonlyArray<string>
}

type ByPhone = Readonly<Record<Exclude<PhoneKind, "other">, string>>

/**
 * The advice for each kind of phone that has an app for the format. There is no advice for a phone of the kind `other`,
 * because the service does not know the settings of this kind.
 */
const forPhones = (format: Device.PhoneFormat, advice: ByPhone): ReadonlyArray<string> =>
  KINDS[format].flatMap((kind) => (kind === "other" ? [] : [advice[kind]]))

/** The title and the checks for a trouble. `address`: the address to which the app must send. */
export const troubleWords = (
  trouble: Silence.Trouble,
  format: Device.PhoneFormat,
  address: string,
  language: Language.Language
): TroubleWords => {
  const words = textsIn(language).devices.troubles
  const { sender } = Device.PROPERTIES[format]
  switch (trouble) {
    case "never_arrived":
      return {
        title: words.neverArrived,
        checks: [
          // A page of this service that sends the position (`browser`) contains the address, so nobody types the
          // address, and a hint about a mistyped address would be of no use.
          ...(sender === "page" ? [] : [words.address(address)]),
          ...(sender !== "page" && isPrivate(address) ? [words.network] : []),
          words.switchedOn[format],
          ...forPhones(format, words.permission)
        ]
      }
    case "went_silent":
      return {
        title: words.wentSilent,
        checks: [
          ...(sender === "program" ? [] : [words.openOnce]),
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

/**
 * Whether the address belongs to a network at home or at work (RFC 1918, or a name that only such a network can
 * resolve).
 */
const isPrivate = (address: string): boolean => {
  const { hostname } = new URL(address)
  return isIPv4(hostname)
    ? /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./.test(hostname)
    : /\.(?:local|lan|home\.arpa)$/.test(hostname)
}
