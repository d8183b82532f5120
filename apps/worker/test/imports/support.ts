import { type CsvColumns, type Entry, type FileReader, ImportReader, withMore } from "@place-access/domain/imports"
import { Imports } from "@place-access/worker"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Files written by hand in the shape of real files. */
export const FILES = [
  "track-1.1.gpx",
  "track-1.0.gpx",
  "timeline-android.json",
  "timeline-ios.json",
  "Records.json",
  "2019_MARCH.json",
  "history.kml",
  "overland.geojson",
  "dawarich.geojson",
  "run.tcx",
  "strava.gpx"
]

export const file = (name: string): Buffer => readFileSync(join(import.meta.dirname, "files", name))

export const { open } = Effect.runSync(Effect.provide(ImportReader, Imports.layer))

/**
 * Reads bytes in pieces of the given lengths; the last length repeats. Stops at the first fault. A reader that asks for
 * another pass gets all bytes again.
 */
export const read = (bytes: Uint8Array, lengths: ReadonlyArray<number> = [bytes.length + 1]) => {
  return readAll(open(), bytes, lengths)
}

/** Reads a table with these columns. */
export const readWith = (bytes: Uint8Array, columns: CsvColumns.CsvColumns) =>
  readAll(open(columns), bytes, [bytes.length + 1])

export const readAll = (reader: FileReader, bytes: Uint8Array, lengths: ReadonlyArray<number>) => {
  const entries: Array<Entry.ImportEntry> = []
  let fault: string | null = null
  let isAgain = true
  while (isAgain) {
    isAgain = false
    for (let from = 0, turn = 0; from < bytes.length && fault === null; turn++) {
      const length = lengths[Math.min(turn, lengths.length - 1)] ?? 1
      for (const read of withMore(reader.push(bytes.subarray(from, from + length)))) {
        entries.push(...read.entries)
        fault = read.fault
      }
      from += length
    }
    if (fault !== null) break
    for (const rest of withMore(reader.end())) {
      entries.push(...rest.entries)
      fault = rest.fault
      isAgain = rest.needsAnotherPass === true
    }
  }
  return { format: reader.format(), entries, fault }
}

/**
 * Reads a whole file in one piece. Returns the number of its steps, the number of its entries, and the largest number
 * of entries in one step.
 */
export const inSteps = (bytes: Uint8Array) => {
  const reader = open()
  let [entries, largest, steps] = [0, 0, 0]
  let fault: string | null = null
  for (let isAgain = true; isAgain;) {
    isAgain = false
    for (const next of [() => reader.push(bytes), reader.end]) {
      for (const step of withMore(next())) {
        steps++
        entries += step.entries.length
        largest = Math.max(largest, step.entries.length)
        fault ??= step.fault
        isAgain = step.needsAnotherPass === true
      }
    }
  }
  return { entries, largest, steps, fault, format: reader.format() }
}

export const text = (content: string) => read(Buffer.from(content))
