import { Timestamp } from "@place-access/domain/shared"
import { Option } from "effect"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY }

/** The longest time by which one request may move the clock: two years. */
export const LONGEST = 731 * DAY

/**
 * 9000-01-01T00:00:00Z, which the clock of a test world never reaches. Rows also have later times, such as ends of
 * connections, and PostgreSQL does not read the form in which JavaScript writes times after the year 9999.
 */
const END = 221_845_392_000_000

/** Whether the clock of a test world may show this time: one in the years 1970 to 8999. */
export const isReachable = (moment: number): boolean => moment >= 0 && moment < END

const PART = /(\d{1,11})(ms|s|m|h|d|w)/y

/**
 * Parses a length of time such as `14d` or `23h35m`, to milliseconds. Returns none when the text is no length of time,
 * or when the length exceeds `LONGEST`.
 */
export const parse = (text: string): Option.Option<number> => {
  const plain = text.replaceAll(" ", "")
  let millis = 0
  PART.lastIndex = 0
  let end = 0
  for (let part = PART.exec(plain); part !== null; part = PART.exec(plain)) {
    millis += Number(part[1]) * (UNITS[part[2] ?? ""] ?? Number.NaN)
    end = PART.lastIndex
  }
  return end > 0 && end === plain.length && millis <= LONGEST ? Option.some(millis) : Option.none()
}

/**
 * Parses a moment such as `2026-01-05T09:00:00Z`, to milliseconds since 1970. Returns none when the text is no moment
 * (`Timestamp.parseIso`).
 */
export const parseMoment = (text: string): Option.Option<number> => Option.fromNullable(Timestamp.parseIso(text))
