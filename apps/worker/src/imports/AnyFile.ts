import { type CsvColumns, FileKind, type FileReader, type Read } from "@place-access/domain/imports"
import * as ArchiveFile from "./packed/ArchiveFile.js"
import * as CsvFile from "./CsvFile.js"
import * as Expansion from "./packed/Expansion.js"
import * as FitFile from "./FitFile.js"
import * as ForeignArchive from "./packed/ForeignArchive.js"
import * as GzipFile from "./packed/GzipFile.js"
import * as LogFile from "./LogFile.js"
import * as TarFile from "./packed/TarFile.js"
import * as TimelineFile from "./TimelineFile.js"
import * as XmlFile from "./XmlFile.js"

/** What all readers of one upload use. */
export interface Context {
  /** The columns of a table, if the person chose them. */
  readonly columns: CsvColumns.CsvColumns | undefined
  /** How many packed files enclose this file. */
  readonly depth: number
  readonly expansion: Expansion.Expansion
}

const NOTHING: Read = { entries: [], fault: null }
const NOT_OURS: Read = { entries: [], fault: "not_ours" }

/** Reads a file of any known format. The first bytes of the file decide which format it is. */
export const open = (context: Context): FileReader => {
  let reader: FileReader | undefined
  let head: Uint8Array = new Uint8Array(0)
  let isRefused = false

  const begin = (isAll: boolean): Read => {
    if (!isAll && head.length < FileKind.HEAD_BYTES) return NOTHING
    reader = readerFor(head, context)
    const bytes = head
    head = new Uint8Array(0)
    if (reader !== undefined) return reader.push(bytes)
    isRefused = true
    return NOT_OURS
  }

  return {
    format: () => reader?.format() ?? null,
    push: (bytes) => {
      if (isRefused) return NOT_OURS
      if (reader !== undefined) return reader.push(bytes)
      head = Buffer.concat([head, bytes])
      return begin(false)
    },
    end: () => {
      if (isRefused) return NOT_OURS
      if (reader !== undefined) return reader.end()
      const first = begin(true)
      if (first.fault !== null || reader === undefined) return first
      const last = (reader as FileReader).end()
      return { ...last, entries: [...first.entries, ...last.entries] }
    }
  }
}

/**
 * The reader for a file with this beginning; undefined for an unknown format, and for a file that is packed too deeply.
 */
const readerFor = (beginning: Uint8Array, context: Context): FileReader | undefined => {
  const kind = FileKind.of(beginning)
  const inner = { ...context, depth: context.depth + 1 }
  switch (kind) {
    case "xml":
      return XmlFile.open()
    case "json":
      return TimelineFile.open(beginning.find((byte) => byte === 0x5b || byte === 0x7b) === 0x5b ? "[" : "{")
    case "fit":
      return FitFile.open()
    case "owntracks_log":
      return LogFile.open()
    case "csv":
      return CsvFile.open(context.columns)
    case "text":
      return context.columns === undefined || context.depth > 0 ? undefined : CsvFile.open(context.columns)
    case "gzip":
      return context.depth < Expansion.MAX_DEPTH ? GzipFile.open(context.expansion, () => open(inner)) : undefined
    case "tar":
      return context.depth < Expansion.MAX_DEPTH ? TarFile.open(context.expansion, () => open(inner)) : undefined
    // The directory of a zip file is at its end, so the file is read twice. Only an upload itself can be read twice,
    // not a file inside another packed file.
    case "own_archive":
      return context.depth === 0 ? ArchiveFile.open() : undefined
    case "zip":
      return context.depth === 0 ? ForeignArchive.open(context.expansion, () => open(inner)) : undefined
    default:
      return undefined
  }
}
