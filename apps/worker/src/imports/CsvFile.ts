import { CsvColumns, type Entry, type FileReader, type Import, type ReadResult } from "@place-access/domain/imports"
import * as Lines from "./Lines.js"
import { moment, number } from "./Values.js"

type Line = (fields: ReadonlyArray<string>) => Entry.ImportEntry

/**
 * Reads a table with a header. `columns` are the columns that the person chose; undefined: the reader finds the columns
 * by their names.
 */
export const open = (columns: CsvColumns.CsvColumns | undefined): FileReader => {
  let entries: Array<Entry.ImportEntry> = []
  let fault: Import.ImportFault | null = null
  let header: CsvColumns.Header | undefined
  let toEntry: Line | undefined
  /** The number of fields in the previous row. */
  let width = 0
  /**
   * The lines of a table row that are read so far. The last of them ended within quotes, so the row goes on in the next
   * line.
   */
  let unfinished: Array<string> = []
  let unfinishedLength = 0

  const begin = (line: string): void => {
    header = CsvColumns.headerOf(line)
    const used = header === undefined ? {} : (columns ?? CsvColumns.guess(header))
    if (header === undefined || !CsvColumns.isComplete(used) || CsvColumns.missing(header, used) !== undefined) {
      fault = "other_columns"
      return
    }
    toEntry = reader(header, used)
  }

  const onLine = (line: string, isOpen: boolean): void => {
    if (fault !== null || (unfinished.length === 0 && line.trim() === "")) return
    if (toEntry === undefined || header === undefined) return begin(line)
    const quotes = CsvColumns.quotes(line, header.delimiter, unfinished.length > 0)
    unfinished.push(line)
    unfinishedLength += line.length + 1
    if (quotes.isOpen) {
      if (unfinishedLength > CsvColumns.MAX_LINE) throw new Error("quotes without an end")
      return
    }
    const parts = unfinished
    unfinished = []
    unfinishedLength = 0
    // An odd number of quotes means that a quote did not open a quoted field but was a character of a field. Then each
    // line is a separate row; otherwise the rows in these lines would be lost.
    for (const row of quotes.isOdd ? parts : [parts.join("\n")]) onRow(row, header, toEntry, isOpen)
  }

  const onRow = (row: string, { delimiter }: CsvColumns.Header, toEntry: Line, isOpen: boolean): void => {
    const fields = CsvColumns.fields(row, delimiter)
    // A last row with fewer fields than the row before was cut off. A cut within its last field cannot be recognized.
    if (isOpen && fields.length < width) {
      fault = "cut_off"
      return
    }
    width = fields.length
    entries.push(toEntry(fields))
  }
  const lines = Lines.open(CsvColumns.MAX_LINE, onLine)

  const read = (work: () => void): ReadResult => {
    try {
      if (fault === null) work()
    } catch {
      fault = "damaged"
    }
    const read = { entries, fault }
    entries = []
    return read
  }

  return {
    format: () => (toEntry === undefined ? null : "csv"),
    push: (bytes) => read(() => lines.push(bytes)),
    end: () =>
      read(() => {
        lines.end()
        if (unfinished.length > 0) fault = "cut_off"
      })
  }
}

const reader = (header: CsvColumns.Header, columns: CsvColumns.CsvColumns): Line => {
  const at = (role: CsvColumns.ColumnRole): number => {
    const name = columns[role]
    return name === undefined ? -1 : header.names.indexOf(name)
  }
  const [time, date, lat, lon] = [at("time"), at("date"), at("lat"), at("lon")]
  const [accuracy, altitude, speed, course] = [at("accuracy"), at("altitude"), at("speed"), at("course")]
  const { latSign, lonSign } = CsvColumns.hemispheres(header)
  return (fields) => {
    const capturedAt = moment(date < 0 ? fields[time] : `${fields[date]?.trim()} ${fields[time]?.trim()}`)
    const north = signed(decimal(fields[lat]), fields[latSign], "S")
    const east = signed(decimal(fields[lon]), fields[lonSign], "W")
    if (capturedAt === undefined || north === undefined || east === undefined) return { _tag: "Unusable" }
    const reading = {
      capturedAt,
      lat: north,
      lon: east,
      accuracyM: decimal(fields[accuracy]),
      altitudeM: decimal(fields[altitude]),
      speedMps: measured(fields[speed]),
      courseDeg: measured(fields[course])
    }
    return { _tag: "Reading", reading }
  }
}

/** A number, with a point or a comma before the decimals. */
const decimal = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : (number(text) ?? number(text.replace(",", ".")))

/** A coordinate with its sign: negative when `letter`, which names the hemisphere, is the letter `negative`. */
const signed = (degrees: number | undefined, letter: string | undefined, negative: "S" | "W"): number | undefined =>
  degrees !== undefined && letter?.trim().toUpperCase() === negative ? -Math.abs(degrees) : degrees

/** A speed or a course; undefined when the value is negative, because phones write −1 for an unknown value. */
const measured = (text: string | undefined): number | undefined => {
  const value = decimal(text)
  return value !== undefined && value >= 0 ? value : undefined
}
