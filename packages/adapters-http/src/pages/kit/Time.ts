import { DateTime } from "effect"
import { Timestamp, type TimeZone, Words } from "@place-access/domain/shared"
import { Html } from "./Html.js"

/**
 * Times on pages. A page writes `time(at)` and need not know its reader: the text is UTC first, and the frame of the
 * page (`Page.ts`) replaces it with the words in the reader's zone, if the zone is known (decision accounts-19).
 */

/** What a time is compared with and shown in. */
export interface Clock {
  readonly now: Timestamp.Timestamp
  /** Null: not known. Times stay in UTC, with the full date, because "today" could be wrong. */
  readonly zone: TimeZone.TimeZone | null
}

/** `31 March 2026 at 12:00 UTC`. */
export const words = Words.moment

/** `2026-03-31 12:00:05 UTC`, for tables. */
export const row = (at: Timestamp.Timestamp): string =>
  DateTime.formatIso(DateTime.unsafeMake(at))
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC")

/** `12:00:05 UTC`, for tables of one day. */
export const clock = (at: Timestamp.Timestamp): string => row(at).slice(11)

/** `12:00 UTC`, for lists of one day. */
export const minute = (at: Timestamp.Timestamp): string => `${row(at).slice(11, 16)} UTC`

/** `31 March 2026 UTC`: the day alone, for ends. */
export const day = (at: Timestamp.Timestamp): string => `${Words.day(at)} UTC`

const STYLES = { words, row, clock, minute, day }
type Style = keyof typeof STYLES

export const time = (at: Timestamp.Timestamp, text: (at: Timestamp.Timestamp) => string = words): Html => {
  const style = Object.entries(STYLES).find(([, one]) => one === text)?.[0]
  const iso = DateTime.formatIso(DateTime.unsafeMake(at))
  // An own text stays as it is.
  return new Html(`<time datetime="${iso}"${style === undefined ? "" : ` data-as="${style}"`}>${text(at)}</time>`)
}

/** A text of the domain, which has moments in UTC in it: they become times like all others of the page. */
export const inText = (text: string): ReadonlyArray<Html | string> =>
  Words.pieces(text).map((piece) => (typeof piece === "string" ? piece : time(piece)))

/** Texts of people are escaped, so they cannot contain a `<time`. */
const TIMES = /(<(?:dd|td|li)\b[^>]*>\s*)?<time datetime="([^"]+)" data-as="(\w+)">([^<]*)<\/time>/g

/** The document with every `time` in the reader's zone. */
export const inZone = (document: Html, { now, zone }: Clock): Html =>
  new Html(
    document.text.replaceAll(TIMES, (_, start: string | undefined, iso: string, style: string, utc: string) => {
      if (zone === null) return `${start ?? ""}<time datetime="${iso}">${utc}</time>`
      const at = Timestamp.parseIso(iso) ?? now
      const said = local(at, style as Style, { now, zone })
      // The words begin a cell: "Today 10:38".
      const text = start === undefined ? said : said.charAt(0).toUpperCase() + said.slice(1)
      return `${start ?? ""}<time datetime="${iso}" title="${words(at)}">${text}</time>`
    })
  )

const MONTHS = "January February March April May June July August September October November December".split(" ")
const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ")
const two = (number: number): string => String(number).padStart(2, "0")

interface KnownClock extends Clock {
  readonly zone: TimeZone.TimeZone
}

const partsOf = (at: Timestamp.Timestamp, zone: TimeZone.TimeZone): DateTime.DateTime.PartsWithWeekday =>
  DateTime.toParts(DateTime.setZone(DateTime.unsafeMake(at), zone))

/** The words for a moment in a zone: `today 10:38`, `yesterday 22:10`, `31 March at 12:00`, `3 May 2025 at 07:30`. */
export const local = (at: Timestamp.Timestamp, style: Style, { now, zone }: KnownClock): string => {
  const parts = partsOf(at, zone)
  const hour = `${two(parts.hours)}:${two(parts.minutes)}`
  const relative = relativeDay(at, { now, zone })
  const date = dateOf(parts, partsOf(now, zone).year)
  switch (style) {
    case "words":
      return relative === null ? `${date} at ${hour}` : `${relative} ${hour}`
    case "row":
      return `${relative ?? `${parts.year}-${two(parts.month)}-${two(parts.day)}`} ${hour}:${two(parts.seconds)}`
    case "clock":
      return `${hour}:${two(parts.seconds)}`
    case "minute":
      return hour
    case "day":
      return relative ?? date
  }
}

const dateOf = ({ day: date, month, year }: DateTime.DateTime.Parts, presentYear: number): string =>
  `${date} ${MONTHS[month - 1] ?? ""}${year === presentYear ? "" : ` ${year}`}`

/** The number of the local calendar day. Two moments with one number are on the same day in that zone. */
const dayNumber = (at: Timestamp.Timestamp, zone: TimeZone.TimeZone): number =>
  Math.floor((at + DateTime.zonedOffset(DateTime.setZone(DateTime.unsafeMake(at), zone))) / Timestamp.DAY)

const RELATIVE: Readonly<Record<number, string>> = { [-1]: "yesterday", 0: "today", 1: "tomorrow" }

const relativeDay = (at: Timestamp.Timestamp, { now, zone }: KnownClock): string | null =>
  RELATIVE[dayNumber(at, zone) - dayNumber(now, zone)] ?? null

/** The heading of a day, for lists that are grouped by day: `Today, Sunday 22 November`. UTC without a zone. */
export const heading = (at: Timestamp.Timestamp, { now, zone }: Clock): string => {
  if (zone === null) return Words.day(at)
  const parts = partsOf(at, zone)
  const relative = relativeDay(at, { now, zone })
  const date = `${WEEKDAYS[parts.weekDay] ?? ""} ${dateOf(parts, partsOf(now, zone).year)}`
  return relative === null ? date : `${relative.charAt(0).toUpperCase()}${relative.slice(1)}, ${date}`
}

/** How long ago: `just now`, `3 min ago`, `2 h ago`, `5 days ago`. */
export const ago = (at: Timestamp.Timestamp, now: Timestamp.Timestamp): string => {
  const since = now - at
  return since < Timestamp.MINUTE ? "just now" : `${duration(since)} ago`
}

/** `3 min`, `2 h 10 min`, `5 days`. */
export const duration = (millis: number): string => {
  const minutes = Math.floor(millis / Timestamp.MINUTE)
  if (minutes < 60) return `${minutes} min`
  if (minutes < 24 * 60)
    return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  const days = Math.floor(minutes / (24 * 60))
  return Words.count(days, "day")
}

/** `12,345`. Every number that a person reads may be long. */
export const count = (value: number): string => value.toLocaleString("en")
