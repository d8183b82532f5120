import type { Entry, FileReader, Import, ReadResult } from "@place-access/domain/imports"
import { Timestamp } from "@place-access/domain/shared"

/** The layout of the messages of one local type. A definition message in the file declares this layout. */
interface Definition {
  readonly isBig: boolean
  readonly kind: "file_id" | "record" | "other"
  /** The fields that are read (`READ`), by their numbers. */
  readonly fields: ReadonlyMap<number, { readonly size: number; readonly at: number }>
  readonly size: number
}

/** Seconds from 1970 to the beginning of FIT's time, 1989-12-31T00:00:00Z. */
const EPOCH_S = 631_065_600
const DEGREES = 180 / 2 ** 31
/**
 * The number of the message with the kind of the file (`file_id`), and the number of the message with a position of the
 * device (`record`).
 */
const [FILE_ID, RECORD] = [0, 20]
/**
 * In `file_id`, the number of the field for the kind of file, and the value of this field for a course, which is a
 * planned route.
 */
const [TYPE, COURSE] = [0, 6]
const [LAT, LON, ALTITUDE, SPEED, ACCURACY, ENHANCED_SPEED, ENHANCED_ALTITUDE, TIMESTAMP] = [
  0, 1, 2, 6, 31, 73, 78, 253
]
/** The numbers of all fields that are read. */
const READ: ReadonlySet<number> = new Set([
  TYPE,
  LAT,
  LON,
  ALTITUDE,
  SPEED,
  ACCURACY,
  ENHANCED_SPEED,
  ENHANCED_ALTITUDE,
  TIMESTAMP
])
/** The sizes of the numbers that are read, in bytes. */
const SIZES: ReadonlySet<number> = new Set([1, 2, 4])
const MIN_HEADER_BYTES = 12
const CHECKSUM_BYTES = 2
const NO_POSITION = 0x7f_ff_ff_ff

/**
 * Reads the records of a FIT file, as sports watches and bicycle computers write it (FIT protocol 2.0). Several FIT
 * files may be joined into one. Skips records without a position, such as a measurement of the heart rate, and the
 * records of a course, which is a plan. One message, of at most 130 KB, is in memory at a time (decision imports-11).
 */
export const open = (): FileReader => {
  let entries: Array<Entry.ImportEntry> = []
  let fault: Import.ImportFault | null = null
  let rest: Buffer = Buffer.alloc(0)
  /** How many bytes of messages are left in the current file of a joined file; undefined before its header. */
  let left: number | undefined
  let definitions: Array<Definition | undefined> = []
  let lastS = 0
  let isPlan = false

  /**
   * Reads one header, message or checksum at the beginning of the bytes. Returns its length; undefined when more bytes
   * are needed.
   */
  const part = (bytes: Buffer): number | undefined => {
    if (left === undefined) return header(bytes)
    if (left === 0) {
      if (bytes.length < CHECKSUM_BYTES) return undefined
      left = undefined
      return CHECKSUM_BYTES
    }
    const length = message(bytes)
    if (length === undefined) return undefined
    left -= length
    if (left < 0) throw new Error("a message goes beyond the end of its file")
    return length
  }

  const header = (bytes: Buffer): number | undefined => {
    const size = bytes[0]
    if (size === undefined || bytes.length < Math.max(size, MIN_HEADER_BYTES)) return undefined
    if (size < MIN_HEADER_BYTES || bytes.toString("latin1", 8, 12) !== ".FIT") throw new Error("no header")
    left = bytes.readUInt32LE(4)
    definitions = []
    lastS = 0
    isPlan = false
    return size
  }

  const message = (bytes: Buffer): number | undefined => {
    const [head] = bytes
    if (head === undefined) return undefined
    const isCompressed = (head & 0x80) !== 0
    if (!isCompressed && (head & 0x40) !== 0) return define(bytes, head)
    const definition = definitions[isCompressed ? (head >> 5) & 3 : head & 15]
    if (definition === undefined) throw new Error("a message without a definition")
    if (bytes.length < 1 + definition.size) return undefined
    if (isCompressed) lastS += ((head & 0x1f) - (lastS & 0x1f) + 0x20) & 0x1f
    take(definition, bytes.subarray(1, 1 + definition.size))
    return 1 + definition.size
  }

  const define = (bytes: Buffer, head: number): number | undefined => {
    const hasOthers = (head & 0x20) !== 0
    const count = bytes[5]
    if (count === undefined) return undefined
    const others = hasOthers ? bytes[6 + 3 * count] : 0
    if (others === undefined) return undefined
    const length = 6 + 3 * count + (hasOthers ? 1 + 3 * others : 0)
    if (bytes.length < length) return undefined
    const isBig = bytes[2] === 1
    // The fields are found here and not in each message: a message may be one byte long, with 255 empty fields
    // (decision imports-14).
    const fields = new Map<number, { readonly size: number; readonly at: number }>()
    let size = 0
    for (let index = 0; index < count; index++) {
      const at = 6 + 3 * index
      const bytesOfField = bytes[at + 1] ?? 0
      const number = bytes[at] ?? 0
      if (READ.has(number) && SIZES.has(bytesOfField) && !fields.has(number)) {
        fields.set(number, { size: bytesOfField, at: size })
      }
      size += bytesOfField
    }
    for (let index = 0; index < others; index++) size += bytes[7 + 3 * count + 3 * index + 1] ?? 0
    const number = isBig ? bytes.readUInt16BE(3) : bytes.readUInt16LE(3)
    const kind = number === RECORD ? "record" : number === FILE_ID ? "file_id" : "other"
    definitions[head & 15] = { isBig, kind, fields, size }
    return length
  }

  const take = ({ fields, isBig, kind }: Definition, bytes: Buffer): void => {
    const of = (number: number): number | undefined => {
      const field = fields.get(number)
      if (field === undefined) return undefined
      const value = isBig ? bytes.readUIntBE(field.at, field.size) : bytes.readUIntLE(field.at, field.size)
      return value === 2 ** (8 * field.size) - 1 ? undefined : value
    }
    lastS = of(TIMESTAMP) ?? lastS
    if (kind === "file_id") isPlan = of(TYPE) === COURSE
    if (kind !== "record" || isPlan) return
    const [lat, lon] = [semicircles(of(LAT)), semicircles(of(LON))]
    if (lat === undefined || lon === undefined) return
    const altitude = of(ENHANCED_ALTITUDE) ?? of(ALTITUDE)
    const speed = of(ENHANCED_SPEED) ?? of(SPEED)
    const reading = {
      capturedAt: Timestamp.make((EPOCH_S + lastS) * 1_000),
      lat,
      lon,
      accuracyM: of(ACCURACY),
      altitudeM: altitude === undefined ? undefined : altitude / 5 - 500,
      speedMps: speed === undefined ? undefined : speed / 1_000
    }
    entries.push(lastS === 0 ? { _tag: "Unusable" } : { _tag: "Reading", reading })
  }

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
    format: () => "fit",
    push: (bytes) =>
      read(() => {
        const all = Buffer.concat([rest, bytes])
        let at = 0
        for (let length = part(all); length !== undefined; length = part(all.subarray(at))) at += length
        rest = Buffer.from(all.subarray(at))
      }),
    end: () =>
      read(() => {
        // A file whose checksum is missing at the end (`left` is 0) is complete, because some devices leave the
        // checksum out.
        if (left === undefined ? rest.length > 0 : left > 0) fault = "cut_off"
      })
  }
}

/** Converts an angle from semicircles to degrees: half a turn is 2³¹ semicircles, in two's complement. */
const semicircles = (value: number | undefined): number | undefined =>
  value === undefined || value === NO_POSITION ? undefined : (value | 0) * DEGREES
