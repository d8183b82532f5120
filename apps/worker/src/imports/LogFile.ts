import type { Entry, FileReader, Import, ReadResult } from "@place-access/domain/imports"
import * as Lines from "./Lines.js"
import * as OwnTracks from "./OwnTracks.js"
import { isObject } from "./Values.js"

const MAX_LINE_BYTES = 65_536

/**
 * Reads a log (`.rec`) of the recorder of OwnTracks. Each line has a time, a kind and a message, with tabs between
 * them. The recorder has a folder for each device (`rec/<user>/<device>/2026-01.rec`), so the log's `folder` tells the
 * devices of a packed store apart.
 */
export const open = (folder: string | undefined): FileReader => {
  let entries: Array<Entry.ImportEntry> = []
  let fault: Import.ImportFault | null = null
  const lines = Lines.open(MAX_LINE_BYTES, (line, isOpen) => {
    const json = line.split("\t")[2]
    const found = json === undefined ? undefined : entriesOf(json, folder)
    if (isOpen && line.trim() !== "" && (found === undefined || found === UNREADABLE)) fault = "cut_off"
    else entries.push(...(found ?? []))
  })

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
    format: () => "owntracks",
    push: (bytes) => read(() => lines.push(bytes)),
    end: () => read(lines.end)
  }
}

/** The entries for a message that is not JSON. */
const UNREADABLE: ReadonlyArray<Entry.ImportEntry> = [{ _tag: "Unusable" }]

const entriesOf = (json: string, folder: string | undefined): ReadonlyArray<Entry.ImportEntry> => {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? OwnTracks.message(value, folder) : []
  } catch {
    return UNREADABLE
  }
}
