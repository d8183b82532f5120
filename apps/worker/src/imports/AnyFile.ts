import { CsvColumns, FileKind } from "@place-access/domain/imports"
import * as ArchiveFile from "./packed/ArchiveFile.js"
import * as CsvFile from "./CsvFile.js"
import * as Expansion from "./packed/Expansion.js"
import * as FitFile from "./FitFile.js"
import * as ForeignArchive from "./packed/ForeignArchive.js"
import * as GzipFile from "./packed/GzipFile.js"
import * as LogFile from "./LogFile.js"
import * as Steps from "./packed/Steps.js"
import * as TarFile from "./packed/TarFile.js"
import * as TimelineFile from "./TimelineFile.js"
import * as XmlFile from "./XmlFile.js"

/** What the reader of a file knows of the upload that contains the file. */
export interface Context {
  /** The columns of a CSV file, if the person chose them. */
  readonly columns: CsvColumns.CsvColumns | undefined
  /** How many packed files enclose this file. */
  readonly depth: number
  /** The folder of the file in the packed file that encloses it. Undefined when it is in no folder. */
  readonly folder?: string | undefined
  readonly expansion: Expansion.Expansion
}

const NOT_OURS: Steps.Outcome = { fault: "not_ours" }

/** Reads a file of any known format. The first bytes of the file decide which format it is. */
export const open = (context: Context): Steps.StepReader => {
  let reader: Steps.StepReader | undefined
  let isRefused = false
  /** The first bytes of the file, collected until they are enough to recognize the format. */
  let head: Array<Uint8Array> = []
  let headBytes = 0
  let isCutText = false

  const begin = function* (isAll: boolean): Steps.Steps {
    const bytes = Buffer.concat(head)
    isCutText = !isAll && FileKind.isCutText(bytes)
    if (isCutText) return Steps.NO_FAULT
    reader = readerFor(bytes, context)
    head = []
    if (reader !== undefined) return yield* reader.push(bytes)
    isRefused = true
    return NOT_OURS
  }

  return {
    format: () => reader?.format() ?? null,
    push: function* (bytes) {
      if (isRefused) return NOT_OURS
      if (reader !== undefined) return yield* reader.push(bytes)
      head.push(bytes.slice())
      headBytes += bytes.length
      if (headBytes < FileKind.HEAD_BYTES) return Steps.NO_FAULT
      // The header of a table may be longer than the beginnings of other formats. Examining all collected bytes at each
      // call would take too long, so the format is determined when the header is complete.
      const isEnough = headBytes >= CsvColumns.MAX_LINE || bytes.some((byte) => FileKind.LINE_ENDS.has(byte))
      return isCutText && !isEnough ? Steps.NO_FAULT : yield* begin(false)
    },
    end: function* () {
      if (isRefused) return NOT_OURS
      if (reader === undefined) {
        const first = yield* begin(true)
        if (first.fault !== null || reader === undefined) return first
      }
      return yield* reader.end()
    }
  }
}

/**
 * The reader for a file with this beginning. Undefined for
 * - an unknown format;
 * - plain text inside a packed file or without chosen columns;
 * - a zip file inside a packed file;
 * - a file that is packed too deeply.
 */
const readerFor = (beginning: Uint8Array, context: Context): Steps.StepReader | undefined => {
  const kind = FileKind.of(beginning)
  const inner = { ...context, depth: context.depth + 1, expansion: Expansion.within(context.expansion) }
  const openMember = (path: string) => {
    const end = path.lastIndexOf("/")
    return open(end > 0 ? { ...inner, folder: path.slice(0, end) } : inner)
  }
  switch (kind) {
    case "xml":
      return Steps.fromReader(XmlFile.open())
    case "json":
      return Steps.fromReader(
        TimelineFile.open(beginning.find((byte) => byte === 0x5b || byte === 0x7b) === 0x5b ? "[" : "{")
      )
    case "fit":
      return Steps.fromReader(FitFile.open())
    case "owntracks_log":
      return Steps.fromReader(LogFile.open(context.folder))
    case "csv":
      return Steps.fromReader(CsvFile.open(context.columns))
    case "text":
      return context.columns === undefined || context.depth > 0
        ? undefined
        : Steps.fromReader(CsvFile.open(context.columns))
    case "gzip":
      return context.depth < Expansion.MAX_DEPTH ? GzipFile.open(context.expansion, () => open(inner)) : undefined
    case "tar":
      return context.depth < Expansion.MAX_DEPTH ? TarFile.open(context.expansion, openMember) : undefined
    // The directory of a zip file is at its end, so the file is read more than once. Only the upload itself can be read
    // more than once; a file inside a packed file cannot.
    case "own_archive":
      return context.depth === 0 ? ArchiveFile.open(context.expansion.most) : undefined
    case "zip":
      return context.depth === 0 ? ForeignArchive.open(context.expansion, openMember) : undefined
    default:
      return undefined
  }
}
