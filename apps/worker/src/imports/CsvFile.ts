import { CsvColumns, type Entry, type FileReader, type Import, type Read } from "@place-access/domain/imports"
import * as Lines from "./Lines.js"
import { moment, number } from "./Values.js"

type Line = (fields: ReadonlyArray<string>) => Entry.ImportEntry

/** Reads a table with a header. `columns`: the columns that the person chose; undefined: columns with known names. */
export const open = (columns: CsvColumns.CsvColumns | undefined): FileReader => {
  let entries: Array<Entry.ImportEntry> = []
  let fault: Import.ImportFault | null = null
  let header: CsvColumns.Header | undefined
  let toEntry: Line | undefined
  /** The number of fields in the previous line. */
  let width = 0
  /** The beginning of a table row whose line ended within quotes: the row goes on in the next line. */
  let unfinished = ""

  const begin = (line: string): void => {
    header = CsvColumns.headerOf(line)
    const used = header === undefined ? {} : (columns ?? CsvColumns.guess(header))
    if (header === undefined || !CsvColumns.isComplete(used) || CsvColumns.missing(header, used) !== undefined) {
      fault = "other_columns"
      return
    }
    toEntry = reader(header, used)
  }

  const onLine = (text: string, isOpen: boolean): void => {
    if (fault !== null) return
    const line = unfinished === "" ? text : `${unfinished}\n${text}`
    unfinished = ""
    if (line.trim() === "") return
    if (toEntry === undefined || header === undefined) return begin(line)
    if (line.includes('"') && (line.split('"').length - 1) % 2 === 1) {
      if (line.length > CsvColumns.MAX_LINE) throw new Error("quotes without an end")
      unfinished = line
      return
    }
    const fields = CsvColumns.fields(line, header.delimiter)
    // A last line with too few fields is cut off. A cut within the last field cannot be recognised.
    if (isOpen && fields.length < width) {
      fault = "cut_off"
      return
    }
    width = fields.length
    entries.push(toEntry(fields))
  }
  const lines = Lines.open(CsvColumns.MAX_LINE, onLine)

  const read = (work: () => void): Read => {
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
        if (unfinished !== "") fault = "cut_off"
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
  return (fields) => {
    const capturedAt = moment(date < 0 ? fields[time] : `${fields[date]?.trim()} ${fields[time]?.trim()}`)
    const [north, east] = [decimal(fields[lat]), decimal(fields[lon])]
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

/** A speed or a course; undefined when it is negative: phones write −1 for an unknown value. */
const measured = (text: string | undefined): number | undefined => {
  const value = decimal(text)
  return value !== undefined && value >= 0 ? value : undefined
}
