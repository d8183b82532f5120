import { Timestamp } from "@place-access/domain/shared"

// Reads texts and numbers in the exports of other programs. The result for an unreadable value is undefined, never a
// guess.

export type JsonValue = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonValue =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The member `name` of `value`; undefined when `value` is no object. */
export const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

/**
 * The most characters of a number, time or point. No export has a longer value, and on a long text some of this
 * module's regular expressions would take minutes.
 */
const MAX_TEXT = 128

/** A text without the blanks around it; undefined when the value is not a text, or when it is too long. */
const short = (value: unknown): string | undefined => {
  const text = typeof value === "string" ? value.trim() : undefined
  return text === undefined || text.length > MAX_TEXT ? undefined : text
}

/** An id, which is a text or a number; undefined for anything else. */
export const id = (value: unknown): string | undefined => (typeof value === "number" ? String(value) : short(value))

/** A number, or a text that contains a number, because iOS writes numbers as texts. */
export const number = (value: unknown): number | undefined => {
  const text = short(value)
  const found = text === undefined || text === "" ? value : Number(text)
  return typeof found === "number" && Number.isFinite(found) ? found : undefined
}

const WITHOUT_ZONE = /T[^Z+-]*$/

/** An ISO 8601 time; the letters may be lower-case. A time without a zone is UTC, as GPX demands. */
export const instant = (value: unknown): Timestamp.Timestamp | undefined => {
  const text = short(value)?.toUpperCase()
  if (text === undefined) return undefined
  return Timestamp.parseIso(WITHOUT_ZONE.test(text) ? `${text}Z` : text)
}

const NUMBER = String.raw`[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`
/**
 * Matches a position such as `52.1°, 4.2°`, `52.1, 4.2` or `geo:52.1,4.2`. A wrong encoding may have changed the degree
 * sign, so up to three other characters may stand in its place.
 */
const POINT = new RegExp(String.raw`^(?:geo:)?\s*(${NUMBER})[^\d,;]{0,3},\s*(${NUMBER})[^\d,;]{0,3}(?:[,;].*)?$`)

export const point = (value: unknown): { readonly lat: number; readonly lon: number } | undefined => {
  const [, lat, lon] = POINT.exec(short(value) ?? "") ?? []
  return lat === undefined || lon === undefined ? undefined : { lat: Number(lat), lon: Number(lon) }
}

/**
 * The time that a number of seconds, milliseconds or microseconds since 1970 means. The size of the number shows which
 * unit it has; undefined when the number is too large for all three units.
 */
const fromEpoch = (value: number): Timestamp.Timestamp | undefined => {
  const size = Math.abs(value)
  const millis = size >= 1e14 ? value / 1_000 : size >= 1e11 ? value : value * 1_000
  return size < 1e17 ? Timestamp.make(Math.round(millis)) : undefined
}

/** Times such as `2024-04-03 08:14:00 +0200`, also with `UTC` in place of the offset, and with `/` in the date. */
const WITH_BLANKS = /^(\d{4})[-/](\d\d?)[-/](\d\d?)[ T]+(\d\d?)(:\d\d[^ ]*) *([^ ]*)$/

/** Times such as `3.4.2024, 08:14`. Where a date has full stops and the year comes last, the day comes first. */
const DAY_FIRST = /^(\d\d?)\.(\d\d?)\.(\d{4}),?(?=[ T])/

/**
 * A time in ISO 8601, also with blanks in it or with a date such as `3.4.2024`, or a number of seconds, milliseconds or
 * microseconds since 1970.
 */
export const moment = (value: unknown): Timestamp.Timestamp | undefined => {
  const count = number(value)
  if (count !== undefined) return fromEpoch(count)
  const known = instant(value)
  if (known !== undefined) return known
  const [, year, month = "", day = "", hour = "", rest, zone = ""] =
    WITH_BLANKS.exec(short(value)?.replace(DAY_FIRST, "$3-$2-$1") ?? "") ?? []
  if (year === undefined) return undefined
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`
  return instant(`${date}T${hour.padStart(2, "0")}${rest}${/^(?:utc|gmt)$/i.test(zone) ? "Z" : zone}`)
}
