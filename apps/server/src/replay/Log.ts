import type { Fix, VisitReport } from "@place-access/domain/fixes"
import { ImportReader, withMore } from "@place-access/domain/imports"
import { Timestamp } from "@place-access/domain/shared"
import { CannotStart, Imports } from "@place-access/worker"
import { Effect, Either } from "effect"
import { readFile } from "node:fs/promises"
import { basename } from "node:path"
import * as PhoneLog from "../demo/PhoneLog.js"

/** A reading of a log, and when it arrived at the service. */
export interface LoggedReading {
  readonly receivedAt: Timestamp.Timestamp
  readonly reading: Fix.Reading
}

/** A recorded log of one phone. */
export interface Log {
  /** The name of the file, without its folder. */
  readonly name: string
  /** The readings, in the order in which the service receives them. */
  readonly readings: ReadonlyArray<LoggedReading>
  /** Visits that the file itself reports. They arrive together, after the last reading and the last visit. */
  readonly visits: ReadonlyArray<VisitReport.VisitReport>
}

const CSV_COLUMNS = ["capture_ts", "write_ts", "latitude", "longitude", "accuracy_m"] as const
const LINE_END = /\r?\n/

/** Reads a log of any format that the import page reads, or a CSV file with the columns of `CSV_COLUMNS`. */
export const read = (path: string): Effect.Effect<Log, CannotStart> =>
  Effect.gen(function* () {
    const bytes = yield* Effect.tryPromise({
      try: () => readFile(path),
      catch: () => new CannotStart({ message: `Cannot read ${path}.` })
    })
    const name = basename(path)
    const header = bytes.subarray(0, 500).toString("utf8").split(LINE_END)[0] ?? ""
    const columns = header.split(",")
    return CSV_COLUMNS.every((column) => columns.includes(column))
      ? yield* fromCsv(name, bytes.toString("utf8"))
      : yield* fromImport(name, bytes)
  })

/** Parses the text of a CSV file with the columns of `CSV_COLUMNS`. */
const fromCsv = (name: string, csv: string): Either.Either<Log, CannotStart> =>
  Either.gen(function* () {
    const [header = "", ...lines] = csv.split(LINE_END)
    const names = header.split(",")
    const readings: Array<LoggedReading> = []
    for (const [index, line] of lines.entries()) {
      if (line.trim() === "") continue
      const cell = PhoneLog.cells(names, line, index + 2)
      const millis = (seconds: number) => Timestamp.make(Math.trunc(seconds * 1_000))
      const reading = {
        capturedAt: millis(yield* cell("capture_ts")),
        lat: yield* cell("latitude"),
        lon: yield* cell("longitude"),
        accuracyM: yield* cell("accuracy_m")
      }
      // Some logs do not say when the phone stored a reading. Then its capture time is also used as its arrival time.
      const written = Either.getOrElse(cell("write_ts"), () => 0)
      readings.push({ receivedAt: written > 0 ? millis(written) : reading.capturedAt, reading })
    }
    return { name, readings: inOrder(readings), visits: [] }
  }).pipe(Either.mapLeft(({ message }) => new CannotStart({ message: `${name} cannot be read: ${message}.` })))

const inOrder = (readings: ReadonlyArray<LoggedReading>): ReadonlyArray<LoggedReading> =>
  [...readings].sort((a, b) => a.receivedAt - b.receivedAt || a.reading.capturedAt - b.reading.capturedAt)

/**
 * The size in bytes of the pieces in which the import reader gets the file. The result does not depend on this size.
 */
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
          isUnread ||= one.needsAnotherPass === true
          for (const entry of one.entries) {
            // An imported file does not say when a reading was sent, so the capture time is also the arrival time.
            if (entry._tag === "Reading")
              readings.push({ receivedAt: entry.reading.capturedAt, reading: entry.reading })
            if (entry._tag === "Visit") visits.push(entry.visit)
          }
        }
      }
    }
    return { name, readings: inOrder(readings), visits }
  }).pipe(Effect.provide(Imports.layer))
