import { DateTime } from "effect"
import { readable } from "@place-access/domain/languages"
import { Timestamp, type TimeZone, Words } from "@place-access/domain/shared"
import { forReader, type Html, html, nothing } from "../../html/Html.js"
import type { Locale } from "../../html/Locale.js"
import { number, textsIn, texts } from "../../languages/index.js"

/**
 * Times on pages. A page writes `time(at)` without knowing its reader: the text is in the reader's language and time
 * zone, or in UTC when the zone is not known (decision accounts-19).
 */

/**
 * How a time is written. `words`: `31 March 2026 at 12:00`. `row`: `2026-03-31 12:00:05`, for tables. `clock`:
 * `12:00:05`, for tables of one day. `minute`: `12:00`, for lists of one day. `day`: `31 March 2026`. In the reader's
 * own time zone, a near day is `today`, `yesterday` or `tomorrow`, and `words` and `day` leave out the present year.
 */
export type Style = "words" | "row" | "clock" | "minute" | "day"

export const time = (at: Timestamp.Timestamp, style: Style = "words"): Html =>
  forReader((locale) => {
    const iso = DateTime.formatIso(DateTime.unsafeMake(at))
    const { zone } = locale
    if (zone === null) return html`<time datetime="${iso}">${inUtc(at, style, locale)}</time>`
    const [title, text] = [inUtc(at, "words", locale), local(at, style, { ...locale, zone })]
    return html`<time datetime="${iso}" title="${title}">${text}</time>`
  })

/**
 * The first and the last of the given times, for a line of a table that shows several entries. One time if the two are
 * equal.
 */
export const span = (times: ReadonlyArray<Timestamp.Timestamp>): Html => {
  const sorted = [...times].sort((a, b) => a - b)
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return nothing
  return first === last ? time(first, "row") : texts.rules.span(time(first, "row"), time(last, "row"))
}

/**
 * A text of the domain in the reader's language, in which names are isolated. Times in UTC within the text are written
 * like all other times of the page.
 */
export const ofDomain = (text: string): Html =>
  forReader(({ language }) =>
    Words.pieces(readable(text, language)).map((piece) => (typeof piece === "string" ? piece : time(piece)))
  )

/**
 * Matches the beginning of a table cell or list entry whose first words are a time, such as `today 10:38`. Texts that
 * people typed are escaped, so they cannot contain `<time`.
 */
const FIRST = /(<(?:dd|td|li)\b[^>]*>\s*<time\b[^>]*>)(\p{Ll})/gu

/** Gives each cell or entry that begins with a time a capital first letter. */
export const withCapitals = (document: string): string =>
  document.replaceAll(FIRST, (_, start: string, letter: string) => start + letter.toUpperCase())

interface LocaleWithZone extends Locale {
  readonly zone: TimeZone.TimeZone
}

const partsOf = (at: Timestamp.Timestamp, zone: TimeZone.TimeZone): DateTime.DateTime.PartsWithWeekday =>
  DateTime.toParts(DateTime.setZone(DateTime.unsafeMake(at), zone))

const inUtc = (at: Timestamp.Timestamp, style: Style, { language }: Pick<Locale, "language">): string => {
  const parts = DateTime.toPartsUtc(DateTime.unsafeMake(at))
  const say = textsIn(language).time
  const date = say.dayOfYear(parts.day, say.months[parts.month - 1] ?? "", parts.year)
  return `${written(style, parts, style === "row" ? isoDay(parts) : date, style === "words" ? say.at : undefined)} UTC`
}

const isoDay = ({ day, month, year }: DateTime.DateTime.Parts): string =>
  `${year}-${Words.twoDigits(month)}-${Words.twoDigits(day)}`

/**
 * Writes the date, the time of day, or both, as the style requires. `date`: the text of the day. `join`: a function
 * that puts the text of the day and the time together.
 */
const written = (
  style: Style,
  { hours, minutes, seconds }: DateTime.DateTime.Parts,
  date: string,
  join = (day: string, hour: string): string => `${day} ${hour}`
): string => {
  const hour = `${Words.twoDigits(hours)}:${Words.twoDigits(minutes)}`
  switch (style) {
    case "words":
      return join(date, hour)
    case "row":
      return join(date, `${hour}:${Words.twoDigits(seconds)}`)
    case "clock":
      return `${hour}:${Words.twoDigits(seconds)}`
    case "minute":
      return hour
    case "day":
      return date
  }
}

/** The words for a moment in a zone: `today 10:38`, `yesterday 22:10`, `31 March at 12:00`, `3 May 2025 at 07:30`. */
export const local = (at: Timestamp.Timestamp, style: Style, locale: LocaleWithZone): string => {
  const parts = partsOf(at, locale.zone)
  const relative = relativeDay(at, locale)
  if (relative !== null) return written(style, parts, relative)
  if (style === "row") return written(style, parts, isoDay(parts))
  return written(style, parts, dateOf(parts, locale), textsIn(locale.language).time.at)
}

/** A date such as `31 March`. The year follows if it is not the present year. */
const dateOf = ({ day, month, year }: DateTime.DateTime.Parts, { language, now, zone }: LocaleWithZone): string => {
  const say = textsIn(language).time
  const name = say.months[month - 1] ?? ""
  return year === partsOf(now, zone).year ? say.dayOfMonth(day, name) : say.dayOfYear(day, name, year)
}

/** The number of the local calendar day. Two moments with the same number are on the same day in the zone. */
const dayNumber = (at: Timestamp.Timestamp, zone: TimeZone.TimeZone): number =>
  Math.floor((at + DateTime.zonedOffset(DateTime.setZone(DateTime.unsafeMake(at), zone))) / Timestamp.DAY)

const relativeDay = (at: Timestamp.Timestamp, { language, now, zone }: LocaleWithZone): string | null => {
  const { today, tomorrow, yesterday } = textsIn(language).time
  return { [-1]: yesterday, 0: today, 1: tomorrow }[dayNumber(at, zone) - dayNumber(now, zone)] ?? null
}

/**
 * The heading of a day, for lists that are grouped by day: `Today, Sunday 22 November`. In UTC when the reader's zone
 * is not known.
 */
export const heading = (at: Timestamp.Timestamp): Html =>
  forReader((locale) => {
    const { language, zone } = locale
    if (zone === null) return inUtc(at, "day", locale).replace(/ UTC$/, "")
    const known = { ...locale, zone }
    const parts = partsOf(at, zone)
    const relative = relativeDay(at, known)
    const say = textsIn(language).time
    const date = say.ofWeekday(say.weekdays[parts.weekDay] ?? "", dateOf(parts, known))
    return relative === null ? date : `${relative.charAt(0).toUpperCase()}${relative.slice(1)}, ${date}`
  })

/** How long ago: `just now`, `3 min ago`, `2 h ago`, `5 days ago`. */
export const ago = (at: Timestamp.Timestamp, now: Timestamp.Timestamp): Html => {
  const since = now - at
  if (since < Timestamp.MINUTE) return texts.time.justNow
  return since < Timestamp.DAY ? texts.time.ago(duration(since)) : texts.time.daysAgo(Math.floor(since / Timestamp.DAY))
}

/** A length of time, rounded down: `3 min`, `2 h 10 min`, `5 days`. */
export const duration = (millis: number): Html => {
  const minutes = Math.floor(millis / Timestamp.MINUTE)
  if (minutes < 60) return texts.time.minutes(minutes)
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? texts.time.hours(hours) : texts.time.hoursAndMinutes(hours, minutes % 60)
  return texts.time.days(Math.floor(hours / 24))
}

/** A number with separators, such as `12,345`, as the reader's language writes it. */
export const count = (value: number): Html => forReader(({ language }) => number(language, value))
