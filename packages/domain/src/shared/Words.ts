import { DateTime } from "effect"
import type { Language } from "./Language.js"
import { make, type Timestamp } from "./Timestamp.js"
import type { TimeZone } from "./TimeZone.js"

const MONTHS = "January February March April May June July August September October November December".split(" ")
const MONTHS_IN_GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(" ")
/** The number with at least two digits, such as `07`, for times and dates. */
export const twoDigits = (number: number): string => String(number).padStart(2, "0")

/** The day in UTC, such as `31 March 2026`. */
export const day = (at: Timestamp): string => {
  const parts = DateTime.toPartsUtc(DateTime.unsafeMake(at))
  return `${parts.day} ${MONTHS[parts.month - 1] ?? ""} ${parts.year}`
}

/**
 * The moment in UTC, such as `31 March 2026 at 12:00 UTC`, for texts that are written before their reader and the
 * reader's time zone are known.
 */
export const moment = (at: Timestamp): string => {
  const { hours, minutes } = DateTime.toPartsUtc(DateTime.unsafeMake(at))
  return `${day(at)} at ${twoDigits(hours)}:${twoDigits(minutes)} UTC`
}

const MOMENT = new RegExp(`(\\d{1,2}) (${MONTHS.join("|")}) (\\d{4}) at (\\d\\d):(\\d\\d) UTC`, "g")

/** Splits a text: each moment that `moment` wrote becomes a time, and the text between moments stays text. */
export const pieces = (text: string): ReadonlyArray<string | Timestamp> => {
  const found: Array<string | Timestamp> = []
  let end = 0
  for (const match of text.matchAll(MOMENT)) {
    const [whole, date, month = "", year, hours, minutes] = match
    const parts = { year: Number(year), month: MONTHS.indexOf(month) + 1, day: Number(date) }
    const at = DateTime.unsafeMake({ ...parts, hours: Number(hours), minutes: Number(minutes) })
    found.push(text.slice(end, match.index), make(at.epochMillis))
    end = match.index + whole.length
  }
  return [...found, text.slice(end)].filter((piece) => piece !== "")
}

/** A moment in the reader's time zone, as the functions in `WRITE` take it. */
interface Written {
  readonly day: number
  /** 1 to 12. */
  readonly month: number
  readonly year: number
  /** Time and zone, such as `14:00 (Europe/Amsterdam)`. */
  readonly time: string
}

const WRITE: Readonly<Record<Language, (moment: Written) => string>> = {
  en: ({ day, month, time, year }) => `${day} ${MONTHS[month - 1] ?? ""} ${year} at ${time}`,
  de: ({ day, month, time, year }) => `${day}. ${MONTHS_IN_GERMAN[month - 1] ?? ""} ${year} um ${time}`
}

/**
 * The text with every moment in `zone` and `language`: `31 March 2026 at 14:00 (Europe/Amsterdam)`, or in German `31.
 * März 2026 um 14:00 (Europe/Amsterdam)`. `zone` null: in UTC. Each time names its zone. Translate the text before this
 * call: translation, like this function, finds only moments in the English form of `moment` (decision languages-2).
 */
export const inZone = (text: string, zone: TimeZone | null, language: Language = "en"): string =>
  pieces(text)
    .map((piece) => {
      if (typeof piece === "string") return piece
      const at = DateTime.unsafeMake(piece)
      const { day, hours, minutes, month, year } =
        zone === null ? DateTime.toPartsUtc(at) : DateTime.toParts(DateTime.setZone(at, zone))
      const clock = zone === null ? "UTC" : `(${zone.id})`
      return WRITE[language]({ day, month, year, time: `${twoDigits(hours)}:${twoDigits(minutes)} ${clock}` })
    })
    .join("")

/** The number with its noun, such as `1 rule` or `2 rules`. */
export const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`

/** The text on one line, for the subject of a mail. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ")
