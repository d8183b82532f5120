import pg from "pg"

/**
 * Converts the texts of columns to values, and returns the same values as `pg`. Nearly every answer has timestamps and
 * lists of texts. When these have the server's usual format, the functions of this module read them faster than the
 * parsers of `pg`.
 */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    (format !== "binary" && faster.get(oid)) || pg.types.getTypeParser(oid, format)
}

const TIMESTAMPTZ = 1184
const TEXTS = 1009

const timestamptzOf: (text: string) => unknown = pg.types.getTypeParser(TIMESTAMPTZ)
const textsOf: (text: string) => unknown = pg.types.getTypeParser(TEXTS as never)

const ZERO = 48
/**
 * Reads `digits` characters of `text`, from the index `at` on, as a decimal number; NaN when one of them is no digit.
 */
const numberAt = (text: string, at: number, digits: number): number => {
  let number = 0
  for (let index = at; index < at + digits; index++) {
    const digit = text.charCodeAt(index) - ZERO
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    number = number * 10 + digit
  }
  return number
}

const SECONDS_LENGTH = "2026-01-02 03:04:05".length
const ZONE = "+00"
/**
 * The milliseconds in one unit of the last digit of a fraction of a second. The index is the number of digits, from 1
 * to 3.
 */
const SCALE = [0, 100, 10, 1]

/**
 * Reads `2026-01-02 03:04:05.678901+00`, and drops the digits below a millisecond. The parser of `pg` reads every other
 * form, for example another zone, BC or infinity.
 */
const timestamptz = (text: string): unknown => {
  const end = text.length - ZONE.length
  if (end < SECONDS_LENGTH || !text.endsWith(ZONE) || text[4] !== "-") return timestamptzOf(text)
  const fraction = end - SECONDS_LENGTH - 1
  let millis = 0
  if (fraction > 0) millis = numberAt(text, SECONDS_LENGTH + 1, Math.min(fraction, 3)) * (SCALE[fraction] ?? 1)
  const year = numberAt(text, 0, 4)
  const time = Date.UTC(
    year,
    numberAt(text, 5, 2) - 1,
    numberAt(text, 8, 2),
    numberAt(text, 11, 2),
    numberAt(text, 14, 2),
    numberAt(text, 17, 2),
    millis
  )
  // `Date.UTC` adds 1900 to years before 100, so the parser of `pg` reads these years.
  // @effect-diagnostics-next-line globalDate:off -- `pg` gives a Date, too
  return year < 100 || Number.isNaN(time) ? timestamptzOf(text) : new Date(time)
}

/** Reads `{a,b}`, a list without quoted entries or nested lists. The parser of `pg` reads every other list. */
const texts = (text: string): unknown => {
  if (text === "{}") return []
  if (text[0] !== "{" || /["\\]/.test(text) || text.includes("{", 1)) return textsOf(text)
  return text
    .slice(1, -1)
    .split(",")
    .map((entry) => (entry === "NULL" ? null : entry))
}

const faster: ReadonlyMap<number, (text: string) => unknown> = new Map([
  [TIMESTAMPTZ, timestamptz],
  [TEXTS, texts]
])
