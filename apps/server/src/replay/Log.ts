import type { Fix, VisitReport } from "@place-access/domain/fixes"
import { ImportReader, withMore } from "@place-access/domain/imports"
import { Timestamp } from "@place-access/domain/shared"
import { CannotStart, Imports } from "@place-access/worker"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { basename } from "node:path"

/** A reading of a log, and when it arrived at the service. */
export interface LoggedReading {
  readonly receivedAt: Timestamp.Timestamp
  readonly reading: Fix.Reading
}

/** A recorded log of one phone. */
export interface Log {
  /** The name of the file, without its folder. */
  readonly name: string
  /** In the order of their arrival. */
  readonly readings: ReadonlyArray<LoggedReading>
  /** Visits that the file itself reports. They arrive with the last reading. */
  readonly visits: ReadonlyArray<VisitReport.VisitReport>
}

const CSV_COLUMNS = ["capture_ts", "write_ts", "latitude", "longitude", "accuracy_m"] as const

/** Reads a log of any format that the import page reads, or a CSV file with the columns of `CSV_COLUMNS`. */
export const read = (path: string): Effect.Effect<Log, CannotStart> =>
  Effect.gen(function* () {
    const bytes = yield* Effect.tryPromise({
      try: () => readFile(path),
      catch: () => new CannotStart({ message: `Cannot read ${path}.` })
    })
    const name = basename(path)
    const header = bytes.subarray(0, 500).toString("utf8").split(/\r?\n/)[0] ?? ""
    const columns = header.split(",")
    return CSV_COLUMNS.every((column) => columns.includes(column))
      ? fromCsv(name, bytes.toString("utf8"))
      : yield* fromImport(name, bytes)
  })

/** A log in the form of `CSV_COLUMNS`, from its text. */
const fromCsv = (name: string, csv: string): Log => {
  const [header = "", ...lines] = csv.trim().split(/\r?\n/)
  const indices = CSV_COLUMNS.map((column) => header.split(",").indexOf(column))
  const readings = lines.map((line): LoggedReading => {
    const cells = line.split(",")
    const [captured = NaN, written = NaN, lat = NaN, lon = NaN, accuracyM = NaN] = indices.map((index) =>
      Number(cells[index])
    )
    const capturedAt = Timestamp.make(Math.trunc(captured * 1_000))
    // Some logs do not say when the phone stored a reading.
    const receivedAt = written > 0 ? Timestamp.make(Math.trunc(written * 1_000)) : capturedAt
    return { receivedAt, reading: { capturedAt, lat, lon, accuracyM } }
  })
  return { name, readings: inOrder(readings), visits: [] }
}

const inOrder = (readings: ReadonlyArray<LoggedReading>): ReadonlyArray<LoggedReading> =>
  [...readings].sort((a, b) => a.receivedAt - b.receivedAt || a.reading.capturedAt - b.reading.capturedAt)

/** The file is pushed to the import reader in pieces of this many bytes, because an import does that too. */
const PIECE = 65_536

const fromImport = (name: string, bytes: Uint8Array): Effect.Effect<Log, CannotStart> =>
  Effect.gen(function* () {
    const makes = yield* ImportReader
    const readings: Array<LoggedReading> = []
    const visits: Array<VisitReport.VisitReport> = []
    const reader = makes.open()
    let isUnread = true
    while (isUnread) {
      isUnread = false
      for (let at = 0; at <= bytes.length; at += PIECE) {
        const isEnd = at + PIECE > bytes.length
        const nexts = [() => reader.push(bytes.subarray(at, at + PIECE)), ...(isEnd ? [reader.end] : [])]
        for (const one of nexts.flatMap((next) => [...withMore(next())])) {
          if (one.fault !== null) return yield* new CannotStart({ message: `${name} is not a log that can be read.` })
          isUnread ||= one.isAgain === true
          for (const entry of one.entries) {
            // An imported file does not say when a reading was sent, so each one arrives when it was captured.
            if (entry._tag === "Reading")
              readings.push({ receivedAt: entry.reading.capturedAt, reading: entry.reading })
            if (entry._tag === "Visit") visits.push(entry.visit)
          }
        }
      }
    }
    return { name, readings: inOrder(readings), visits }
  }).pipe(Effect.provide(Imports.layer))
