import { FileKind, type FileReader, ImportReader, type Read } from "@place-access/domain/imports"
import { Layer } from "effect"
import * as ArchiveFile from "./ArchiveFile.js"
import * as GpxFile from "./GpxFile.js"
import * as TimelineFile from "./TimelineFile.js"

const NOTHING: Read = { entries: [], fault: null }
const NOT_OURS: Read = { entries: [], fault: "not_ours" }
/** A file with more blanks before its first character is refused. */
const MAX_BLANKS = 1_024

/** Reads a file of any known format: its first bytes tell XML, JSON and archives apart. */
const open = (): FileReader => {
  let reader: FileReader | undefined
  let head: ReadonlyArray<number> = []

  const begin = (bytes: Uint8Array): Read => {
    const beginning = head.length === 0 ? bytes : Uint8Array.from([...head, ...bytes])
    reader = readerFor(beginning)
    if (reader !== undefined) return reader.push(beginning)
    head = [...beginning.subarray(0, MAX_BLANKS + 1)]
    return head.length > MAX_BLANKS ? NOT_OURS : NOTHING
  }

  return {
    format: () => reader?.format() ?? null,
    push: (bytes) => (reader === undefined ? begin(bytes) : reader.push(bytes)),
    end: () => (reader === undefined ? NOT_OURS : reader.end())
  }
}

/** Undefined: only blanks so far, or a file of no known format. */
const readerFor = (beginning: Uint8Array): FileReader | undefined => {
  switch (FileKind.of(beginning)) {
    case "xml":
      return GpxFile.open()
    case "json":
      return TimelineFile.open(beginning.find((byte) => byte === 0x5b || byte === 0x7b) === 0x5b ? "[" : "{")
    case "own_archive":
      return ArchiveFile.open()
    case "archive":
    case "other":
      return undefined
  }
}

export const layer: Layer.Layer<ImportReader> = Layer.succeed(ImportReader, { open })
