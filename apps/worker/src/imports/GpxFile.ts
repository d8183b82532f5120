import type { Entry, FileReader, Import, Read } from "@place-access/domain/imports"
import { TextDecoder } from "node:util"
import { SaxesParser } from "saxes"
import { instant, number } from "./Values.js"

/** A `trkpt` whose end tag has not come yet. */
interface TrackPoint {
  readonly lat: string | undefined
  readonly lon: string | undefined
  readonly depth: number
  readonly texts: Map<Field, string>
}

type Field = "time" | "ele" | "speed" | "course" | "accuracy"

/** Elements directly in the point. */
const OWN: Readonly<Record<string, Field>> = { time: "time", ele: "ele", speed: "speed", course: "course" }
/** Elements in the point's extensions, in any namespace. */
const EXTENDED: Readonly<Record<string, Field>> = {
  speed: "speed",
  course: "course",
  bearing: "course",
  accuracy: "accuracy"
}

const MAX_DEPTH = 64
/** A GPX file has no longer stretch without a tag: a file with one is refused, so that it cannot fill the memory. */
const MAX_TAGLESS_BYTES = 1_048_576
const SLICE_BYTES = 65_536
/** The declaration of the encoding ends with the first `>`, and within this many bytes. */
const MAX_HEAD_BYTES = 1_024
const GREATER = 0x3e

/**
 * Reads the points of tracks in GPX 1.0 and 1.1. A route is a plan and a waypoint is a mark on a map, so neither is
 * history. A file with a document type is refused before any entity is read: entities, which no GPX file needs, can be
 * made to grow without a limit or to name other files.
 */
export const open = (): FileReader => {
  let format: Import.ImportFormat | null = null
  let fault: Import.ImportFault | null = null
  let entries: Array<Entry.ImportEntry> = []
  let decoder: TextDecoder | undefined
  let head = new Uint8Array(0)
  let depth = 0
  let unread = 0
  let isFirst = true
  let track: TrackPoint | undefined
  let field: Field | undefined
  let text = ""

  const fail = (reason: Import.ImportFault): void => {
    fault ??= format === null ? "not_ours" : reason
  }

  let isEnding = false
  const parser = new SaxesParser()
  parser.on("error", () => fail(isEnding ? "cut_off" : "damaged"))
  parser.on("doctype", () => fail("damaged"))
  parser.on("opentag", ({ attributes, name }) => {
    unread = 0
    if (fault !== null) return
    const local = localName(name)
    depth++
    if (depth === 1 && local === "gpx") format = "gpx"
    if (format === null || depth > MAX_DEPTH) return fail("damaged")
    if (track === undefined) {
      if (local === "trkpt") track = { lat: attributes["lat"], lon: attributes["lon"], depth, texts: new Map() }
      return
    }
    field = (depth === track.depth + 1 ? OWN : EXTENDED)[local]
    text = ""
  })
  const hear = (heard: string): void => {
    if (field !== undefined) text += heard
  }
  parser.on("text", hear)
  parser.on("cdata", hear)
  parser.on("closetag", () => {
    unread = 0
    if (fault !== null) return
    if (track !== undefined && field !== undefined && !track.texts.has(field)) track.texts.set(field, text)
    field = undefined
    if (track?.depth === depth) {
      entries.push(entry(track))
      track = undefined
    }
    depth--
  })

  const write = (bytes: Uint8Array): void => {
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      if (fault !== null) return
      const slice = bytes.subarray(from, from + SLICE_BYTES)
      unread += slice.length
      const decoded = decoder?.decode(slice, { stream: true }) ?? ""
      // XML allows no blanks before its declaration, but some files have them.
      parser.write(isFirst ? decoded.trimStart() : decoded)
      isFirst = false
      if (unread > MAX_TAGLESS_BYTES) fail("damaged")
    }
  }

  /** Waits until the declaration has arrived, or until it is clear that there is none; then the encoding is known. */
  const begin = (bytes: Uint8Array, isAll: boolean): void => {
    head = joined(head, bytes)
    if (!isAll && head.length < MAX_HEAD_BYTES && !head.includes(GREATER)) return
    decoder = decoderFor(head)
    if (decoder === undefined) return fail("damaged")
    write(head)
  }

  const read = (work: () => void): Read => {
    if (fault === null) work()
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

const entry = ({ lat, lon, texts }: TrackPoint): Entry.ImportEntry => {
  const capturedAt = instant(texts.get("time"))
  const [north, east] = [number(lat), number(lon)]
  if (capturedAt === undefined || north === undefined || east === undefined) return { _tag: "Unusable" }
  const reading = {
    capturedAt,
    lat: north,
    lon: east,
    accuracyM: number(texts.get("accuracy")),
    altitudeM: number(texts.get("ele")),
    speedMps: number(texts.get("speed")),
    courseDeg: number(texts.get("course"))
  }
  return { _tag: "Reading", reading }
}
