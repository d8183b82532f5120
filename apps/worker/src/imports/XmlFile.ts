import type { Entry, FileReader, Import, ReadResult } from "@place-access/domain/imports"
import { TextDecoder } from "node:util"
import { SaxesParser } from "saxes"
import * as Gpx from "./Gpx.js"
import * as Kml from "./Kml.js"
import * as Tcx from "./Tcx.js"
import type { XmlDialect } from "./XmlDialect.js"

type OnEntry = (entry: Entry.ImportEntry) => void

/** The kinds of XML files that are read, by the name of the root element. */
const DIALECTS: Readonly<Record<string, readonly [Import.ImportFormat, (onEntry: OnEntry) => XmlDialect]>> = {
  gpx: ["gpx", Gpx.open],
  kml: ["kml", Kml.open],
  TrainingCenterDatabase: ["tcx", Tcx.open]
}

const MAX_DEPTH = 64
/**
 * The most bytes between two tags. No export has more. A file with more is refused, so that it cannot fill the memory.
 */
const MAX_TAGLESS_BYTES = 1_048_576
const SLICE_BYTES = 65_536
/**
 * The most bytes before the first `>`, with which the declaration of the encoding ends. A file without a `>` in these
 * bytes has no declaration.
 */
const MAX_HEAD_BYTES = 1_024
const GREATER = 0x3e

/** The entities that every XML file has. */
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", apos: "'", gt: ">", lt: "<", quot: '"' }
const ENTITY_NAME = /^[\p{L}_:][\p{L}\p{M}\p{N}_:.·-]*$/u
/**
 * The entities of a file with a document type: all that the document type may declare stay the text `&name;`. Without
 * these entities, saxes makes an `Error` for each reference, and a small packed file may have a million references
 * (decision imports-14).
 */
const KEPT_ENTITIES = new Proxy<Record<string, string>>(
  {},
  {
    get: (_, key) => {
      const name = String(key)
      if (Object.hasOwn(ENTITIES, name)) return ENTITIES[name]
      return ENTITY_NAME.test(name) ? `&${name};` : undefined
    }
  }
)

/**
 * Reads GPX, KML and TCX. The parser never expands the entities that a document type declares, because somebody can
 * write entities that grow without a limit or name other files. A reference to such an entity stays the text `&name;`.
 */
export const open = (): FileReader => {
  let format: Import.ImportFormat | null = null
  let fault: Import.ImportFault | null = null
  let entries: Array<Entry.ImportEntry> = []
  let dialect: XmlDialect | undefined
  let decoder: TextDecoder | undefined
  let head = new Uint8Array(0)
  let depth = 0
  let unread = 0
  let isFirst = true
  let isText = false
  let text = ""

  const fail = (reason: Import.ImportFault): void => {
    fault ??= format === null ? "not_ours" : reason
  }

  let isEnding = false
  const parser = new SaxesParser()
  parser.on("error", (error) => {
    fail(isEnding ? "cut_off" : "damaged")
    // Stops the parser, which would make an error for each further fault of these bytes, at worst for every byte.
    throw error
  })
  parser.on("doctype", () => void (parser.ENTITIES = KEPT_ENTITIES))
  parser.on("opentag", ({ attributes, name }) => {
    unread = 0
    if (fault !== null) return
    const local = localName(name)
    depth++
    const kind = depth === 1 && Object.hasOwn(DIALECTS, local) ? DIALECTS[local] : undefined
    if (kind !== undefined) {
      format = kind[0]
      dialect = kind[1]((entry) => void entries.push(entry))
    }
    if (dialect === undefined || depth > MAX_DEPTH) return fail("damaged")
    isText = dialect.open(local, attributes, depth)
    text = ""
  })
  const hear = (chunk: string): void => {
    if (isText) text += chunk
  }
  parser.on("text", hear)
  parser.on("cdata", hear)
  parser.on("closetag", ({ name }) => {
    unread = 0
    if (fault !== null) return
    dialect?.close(localName(name), isText ? text : undefined, depth)
    isText = false
    depth--
  })

  const write = (bytes: Uint8Array): void => {
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      if (fault !== null) return
      const slice = bytes.subarray(from, from + SLICE_BYTES)
      unread += slice.length
      const decoded = decoder?.decode(slice, { stream: true }) ?? ""
      // XML allows no blanks before its declaration, but some files have them, so they are removed.
      parser.write(isFirst ? decoded.trimStart() : decoded)
      isFirst = false
      if (unread > MAX_TAGLESS_BYTES) fail("damaged")
    }
  }

  /**
   * Collects bytes until the file's declaration is complete, or until it is clear that the file has no declaration.
   * Then the encoding is known, and the parser gets the bytes.
   */
  const begin = (bytes: Uint8Array, isAll: boolean): void => {
    head = joined(head, bytes)
    if (!isAll && head.length < MAX_HEAD_BYTES && !head.includes(GREATER)) return
    decoder = decoderFor(head)
    if (decoder === undefined) return fail("damaged")
    write(head)
  }

  const read = (work: () => void): ReadResult => {
    try {
      if (fault === null) work()
    } catch {
      // A dialect throws when it would have to keep too much data in memory. The parser throws at its first error.
      fail("damaged")
    }
    const read = { entries, fault }
    entries = []
    return read
  }

  return {
    format: () => format,
    push: (bytes) => read(() => (decoder === undefined ? begin(bytes, false) : write(bytes))),
    end: () =>
      read(() => {
        isEnding = true
        if (decoder === undefined) begin(new Uint8Array(0), true)
        if (fault === null) parser.write(decoder?.decode() ?? "").close()
      })
  }
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1)

const joined = (first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> => {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

const decoderFor = (head: Uint8Array): TextDecoder | undefined => {
  const mark = head[0] === 0xff ? "utf-16le" : head[0] === 0xfe ? "utf-16be" : undefined
  const declared = /^[^<]*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(
    new TextDecoder("latin1").decode(head)
  )?.[1]
  try {
    return new TextDecoder(mark ?? declared ?? "utf-8")
  } catch {
    return undefined
  }
}
