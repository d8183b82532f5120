// How long a phone has been silent, and what may be wrong with the phone (decision devices-13).
import { DAY, HOUR, MINUTE, type Timestamp } from "../shared/Timestamp.js"
import { type Device, PROPERTIES } from "./Device.js"

/** `late` after an hour without anything new from the phone, `silent` after a day, `never` before the first upload. */
export type Silence = "fresh" | "late" | "silent" | "never"

const LATE_AFTER = HOUR
const SILENT_AFTER = DAY

/** How long a phone has been silent, as its owner reads it. */
export const of = (lastSeenAt: Timestamp | null, now: Timestamp): Silence => {
  if (lastSeenAt === null) return "never"
  const silentFor = now - lastSeenAt
  return silentFor >= SILENT_AFTER ? "silent" : silentFor >= LATE_AFTER ? "late" : "fresh"
}

/**
 * A problem with a phone that its owner should look into. `never_arrived`: nothing came although there was time to set
 * the phone up. `went_silent`: the phone has sent before, but nothing new for an hour. `imprecise`: the accuracy of the
 * phone's newest location is `IMPRECISE_M` or worse. Such a location is never clearly inside a place with a radius of
 * 500 m or less.
 */
export type Trouble = "never_arrived" | "went_silent" | "imprecise"

/** People need some minutes to install the app on their phone. A warning before that would only disturb. */
export const SET_UP_TIME = 10 * MINUTE

/**
 * From this accuracy on, in metres, locations count as imprecise. A phone app without permission for the precise
 * location reports circles of one kilometre and more.
 */
export const IMPRECISE_M = 500

/** The problems of a phone at `now`. `accuracyM`: the accuracy of its newest location; null when it is not known. */
export const troubles = (
  { createdAt, format, lastSeenAt, putAside }: Pick<Device, "createdAt" | "format" | "lastSeenAt" | "putAside">,
  accuracyM: number | null,
  now: Timestamp
): ReadonlyArray<Trouble> => {
  const silence = of(lastSeenAt, now)
  // When something that the phone sent was quarantined, the phone reaches the service: its readings are the problem, so
  // `never_arrived` would be wrong.
  if (silence === "never") return putAside.length === 0 && now - createdAt >= SET_UP_TIME ? ["never_arrived"] : []
  return [
    // A browser sends only while its page is open, so its silence is no trouble.
    ...(silence === "fresh" || PROPERTIES[format].sender === "page" ? [] : (["went_silent"] as const)),
    ...(accuracyM !== null && accuracyM >= IMPRECISE_M ? (["imprecise"] as const) : [])
  ]
}
