// Finds the columns of a CSV file that contain the time and the position. Decision imports-10.
import { Schema, Struct } from "effect"

const Name = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200))

/**
 * The names that the header of a table (a CSV file) gives to the columns with the time, the position and other
 * measurements. An optional field is left out when no such column is known.
 */
export const CsvColumns = Schema.Struct({
  time: Name,
  /** The column with the date, for a table whose column `time` contains only the time of day. */
  date: Schema.optionalWith(Name, { exact: true }),
  lat: Name,
  lon: Name,
  accuracy: Schema.optionalWith(Name, { exact: true }),
  altitude: Schema.optionalWith(Name, { exact: true }),
  speed: Schema.optionalWith(Name, { exact: true }),
  course: Schema.optionalWith(Name, { exact: true })
})
export type CsvColumns = typeof CsvColumns.Type

export type ColumnRole = keyof CsvColumns
export const NEEDED: ReadonlyArray<ColumnRole> = ["time", "lat", "lon"]
/** All roles, in the order in which a page asks for their columns. */
export const ROLES: ReadonlyArray<ColumnRole> = Struct.keys(CsvColumns.fields)

/** The first line of a table: the character between the columns, and the names of the columns. */
export interface Header {
  readonly delimiter: string
  readonly names: ReadonlyArray<string>
}

/** The most columns of a table. A file whose first line has more columns counts as no table. */
const MAX_COLUMNS = 200
/** The most characters in a line of a table. A file with a longer first line is no table. */
export const MAX_LINE = 65_536
const DELIMITERS = [",", ";", "\t", "|"]

/** The words of a text. */
const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/**
 * The column names that exporters write, the preferred names first, in the form that `plain` returns. Names of columns
 * with local times are missing here, because a local time without a zone would be read as UTC.
 */
const KNOWN: Readonly<Record<ColumnRole, ReadonlyArray<string>>> = {
  time: words(`
    timestamp time datetime capturedat recordedat capturets tst ts epoch unixtime isotime utctime timeutc
    datetimeutc utcdatetime fixtime devicetime gpstime timestampms timestamputc timems createdat unixtimestamp
    dateandtime fmttime zeit zeitstempel date`),
  date: words("date datum day utcdate dateutc"),
  lat: words("latitude lat latdeg latitudedeg latitudewgs84 gpslatitude locationlat positionlat breite breitengrad"),
  lon: words(`
    longitude lon lng long londeg longitudedeg longitudewgs84 gpslongitude locationlng locationlon positionlong
    laenge länge längengrad laengengrad`),
  accuracy: words("accuracy horizontalaccuracy accuracym accuracymeters hacc acc haccuracy genauigkeit"),
  altitude: words("altitude altitudem elevation elevationm ele alt altitudemeters heightm hoehe höhe"),
  speed: words("speedmps speedms speed velocity geschwindigkeit"),
  course: words("course bearing heading bearingdeg coursedeg cog direction kurs")
}

/** In a table that also has a column of dates, a column with one of these names contains only the time of day. */
const TIMES_OF_DAY: ReadonlySet<string> = new Set(["time", "zeit"])
/**
 * In a table that also has a column whose name is in `UTC_DAYS`, a column with one of these names contains only the
 * time of day. In every other table the column contains date and time.
 */
const UTC_TIMES: ReadonlySet<string> = new Set(["utctime", "timeutc"])
const UTC_DAYS: ReadonlySet<string> = new Set(["utcdate", "dateutc"])

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "")

/**
 * The first position of each plain name. Each name is made plain only once, because `guess` looks for 100 known names:
 * a header with 200 long names would otherwise occupy the processor for a tenth of a second (decision imports-14).
 */
const positions = (names: ReadonlyArray<string>): ReadonlyMap<string, number> =>
  new Map(names.map((name, at) => [plain(name), at] as const).toReversed())

/** The state of the quotes at the end of a line. */
export interface Quotes {
  /** The line ends within a quoted field, so the field goes on in the next line. */
  readonly isOpen: boolean
  /**
   * True: text follows the closing quote of a field. So at least one quote of this line neither begins nor ends a
   * field, but is an ordinary character.
   */
  readonly isOdd: boolean
}

const BLANK = /\s/

/**
 * Reads a line with quotes (RFC 4180): a quote begins a quoted field only as the first character of a field, or after
 * blanks. `isContinued`: the line begins within a quoted field.
 */
const scan = (line: string, delimiter: string, isContinued: boolean) => {
  const found: Array<string> = []
  let field = ""
  let state: "start" | "plain" | "quoted" | "ended" = isContinued ? "quoted" : "start"
  let isOdd = false
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at)
    if (state === "quoted") {
      if (character !== '"') field += character
      else if (line[at + 1] === '"') field += line.charAt(++at)
      else state = "ended"
    } else if (character === delimiter) {
      found.push(field)
      field = ""
      state = "start"
    } else if (state === "start" && character === '"') {
      field = ""
      state = "quoted"
    } else {
      field += character
      if (BLANK.test(character)) continue
      isOdd ||= state === "ended"
      state = "plain"
    }
  }
  found.push(field)
  return { fields: found, isOpen: state === "quoted", isOdd }
}

/**
 * The fields of one line. A quoted field may contain the delimiter, and two quotes within a quoted field stand for one
 * quote.
 */
export const fields = (line: string, delimiter: string): ReadonlyArray<string> =>
  line.includes('"') ? scan(line, delimiter, false).fields : line.split(delimiter)

/** The state of the quotes at the end of a line. `isContinued`: the line begins within a quoted field. */
export const quotes = (line: string, delimiter: string, isContinued: boolean): Quotes =>
  line.includes('"') ? scan(line, delimiter, isContinued) : { isOpen: isContinued, isOdd: false }

/**
 * The first non-blank line of a text, without a byte order mark and spaces at its beginning. A tab at the beginning
 * stays: when tabs separate the columns, this tab is the end of a first column with an empty name.
 */
export const firstLine = (text: string): string => /^(?:[\uFEFF\s]*[\r\n])?[\uFEFF ]*([^\r\n]*)/.exec(text)?.[1] ?? ""

/** Splits a file's first line at the delimiter that gives the most columns. Undefined: the file is no table. */
export const headerOf = (beginning: string): Header | undefined => {
  const line = firstLine(beginning)
  // PostgreSQL stores no text with the character NUL, so it could not store a column name with this character.
  if (line.trim() === "" || line.length > MAX_LINE || line.includes("\0")) return undefined
  const [best] = DELIMITERS.map((delimiter) => ({
    delimiter,
    names: fields(line, delimiter).map((name) => name.trim())
  })).sort((a, b) => b.names.length - a.names.length)
  return best === undefined || best.names.length < 3 || best.names.length > MAX_COLUMNS ? undefined : best
}

/**
 * Guesses the columns from the names in the header, when neither a person nor a program has named the columns. Leaves
 * out a column whose name is too long for `Name`.
 */
export const guess = (header: Header): Partial<CsvColumns> => {
  const names = header.names.filter(Schema.is(Name))
  const at = positions(names)
  const found: { -readonly [role in ColumnRole]?: string } = {}
  for (const role of ROLES) {
    const name = KNOWN[role]
      .map((known) => names[at.get(known) ?? -1])
      .find((one) => one !== undefined && !Object.values(found).includes(one))
    if (name !== undefined) found[role] = name
  }
  const time = plain(found.time ?? "")
  const utcDays = UTC_TIMES.has(time) ? [...UTC_DAYS].flatMap((day) => at.get(day) ?? []) : []
  const utcDay = names[Math.min(...utcDays)]
  if (utcDay !== undefined) found.date = utcDay
  // A column of dates is used only when the time's column has only the time of day; "timestamp" has the date already.
  else if (found.time !== undefined && !TIMES_OF_DAY.has(time)) delete found.date
  return found
}

/**
 * The positions of the column with the letter N or S and of the column with the letter E or W. GPS loggers write these
 * columns when their degrees have no sign. −1: the table has no such column. The owner does not choose these columns:
 * they are found by their names.
 */
export const hemispheres = ({ names }: Header): { readonly latSign: number; readonly lonSign: number } => {
  const at = positions(names)
  return { latSign: at.get("ns") ?? -1, lonSign: at.get("ew") ?? -1 }
}

/** Whether time, latitude and longitude are known, so that the table can be read. */
export const isComplete = (columns: Partial<CsvColumns>): columns is CsvColumns =>
  columns.time !== undefined && columns.lat !== undefined && columns.lon !== undefined

/** The first role that has the same column as an earlier role; undefined when each role has its own column. */
export const repeated = (columns: CsvColumns): ColumnRole | undefined =>
  ROLES.find((role, at) =>
    ROLES.slice(0, at).some((other) => columns[role] !== undefined && columns[other] === columns[role])
  )

/** The role of the first column that the header lacks; undefined when the file can be read with these columns. */
export const missing = ({ names }: Header, columns: CsvColumns): ColumnRole | undefined =>
  ROLES.find((role) => {
    const name = columns[role]
    return name !== undefined && !names.includes(name)
  })
