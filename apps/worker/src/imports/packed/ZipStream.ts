import { Inflate } from "fflate"
import { crc32 } from "node:zlib"
import { NO_ENTRIES, slices, type Steps } from "./Steps.js"
import type { ZipFile } from "./ZipDirectory.js"

/** Receives the contents of the files of an archive, in their order. */
export interface ZipSink {
  readonly begin: (file: ZipFile) => void
  /** False: the remaining bytes of the current file are skipped and not expanded. */
  readonly isWanted?: () => boolean
  readonly bytes: (bytes: Uint8Array) => Steps<void>
  readonly end: () => Steps<void>
}

const HEADER = 0x04034b50
const HEADER_BYTES = 30
/**
 * The longest local header of a file that is read, with the name and the extra fields. Headers of our archives have
 * less than a hundred bytes.
 */
const MAX_HEADER_BYTES = 4_096
/** How many compressed bytes are expanded at a time. At the highest ratio of the format they become 4 MiB. */
const SLICE_BYTES = 4_096

/**
 * The most expanded bytes for each compressed byte (decisions exports-8 and imports-9). Our archives have 10 to 40, and
 * real exports of other programs have 10 to 60.
 */
const MAX_RATIO = 200
/**
 * Up to this number of expanded bytes `MAX_RATIO` does not apply, because a small file that repeats one letter does no
 * harm.
 */
const SLACK_BYTES = 1_048_576

/** The error for an archive that is made to harm its reader. */
export class UnsafeArchive extends Error {}

/** Throws `UnsafeArchive` when the bytes have expanded to more than `most` bytes, or by more than `MAX_RATIO`. */
export const checkExpansion = (compressed: number, expanded: number, most: number): void => {
  if (expanded > most || expanded > SLACK_BYTES + MAX_RATIO * compressed) throw new UnsafeArchive()
}

/**
 * Reads the files that the archive's list (`ZipDirectory`) names. The bytes of the archive may come in pieces of any
 * size. Throws `UnsafeArchive` when the archive expands to more than `most` bytes, or by more than `MAX_RATIO`, and
 * another error when the archive is damaged.
 */
export const open = (files: ReadonlyArray<ZipFile>, most: number, sink: ZipSink) => {
  let position = 0
  let index = 0
  let header: Buffer = Buffer.alloc(0)
  /** The number of compressed bytes that are left of the current file; undefined while its header is read. */
  let left: number | undefined
  let inflate: Inflate | undefined
  let compressedIn = 0
  let expandedOut = 0
  let expected = 0
  /** The checksum of the expanded bytes of the current file so far. */
  let sum = 0
  let isPassedOver = false
  /** The expanded bytes that the sink has not received yet. */
  let expanded: Array<Uint8Array> = []

  const out = (bytes: Uint8Array): void => {
    expandedOut += bytes.length
    expected -= bytes.length
    sum = crc32(bytes, sum)
    checkExpansion(compressedIn, expandedOut, most)
    if (expected < 0) throw new Error("a file is longer than the archive says")
    if (bytes.length > 0) expanded.push(bytes)
  }

  /** Reads the local header of a file. Returns how many of the given bytes belong to the header. */
  const readHeader = (file: ZipFile, bytes: Uint8Array): number => {
    const before = header.length
    const all = Buffer.concat([header, bytes.subarray(0, MAX_HEADER_BYTES)])
    const nameBytes = all.length < HEADER_BYTES ? 0 : all.readUInt16LE(26)
    const length = all.length < HEADER_BYTES ? HEADER_BYTES : HEADER_BYTES + nameBytes + all.readUInt16LE(28)
    if (length > MAX_HEADER_BYTES) throw new Error("a header is too long")
    if (all.length < length) {
      header = all
      return bytes.length
    }
    const rawName = all.toString("latin1", HEADER_BYTES, HEADER_BYTES + nameBytes)
    if (all.readUInt32LE(0) !== HEADER || rawName !== file.rawName) throw new Error("a file is not where it should be")
    header = Buffer.alloc(0)
    left = file.compressed
    expected = file.size
    sum = 0
    inflate = file.method === 8 ? new Inflate((piece) => out(piece)) : undefined
    sink.begin(file)
    return length - before
  }

  const contents = function* (bytes: Uint8Array): Steps<void> {
    for (const slice of slices(bytes, SLICE_BYTES)) {
      left = (left ?? 0) - slice.length
      isPassedOver ||= sink.isWanted?.() === false
      if (isPassedOver) continue
      compressedIn += slice.length
      if (inflate === undefined) out(slice)
      else inflate.push(slice, left === 0)
      const pieces = expanded
      expanded = []
      for (const piece of pieces) yield* sink.bytes(piece)
      yield NO_ENTRIES
    }
  }

  const endFile = function* ({ crc }: ZipFile): Steps<void> {
    if (expected !== 0 && !isPassedOver) throw new Error("a file is shorter than the archive says")
    if (sum !== crc && !isPassedOver) throw new Error("a file has changed since it was packed")
    left = undefined
    inflate = undefined
    isPassedOver = false
    index++
    yield* sink.end()
  }

  return {
    push: function* (bytes: Uint8Array): Steps<void> {
      let from = 0
      while (from < bytes.length) {
        const file = files[index]
        if (file === undefined) return
        if (left === undefined) {
          const skipped = Math.max(0, file.offset - position)
          const taken = Math.min(skipped, bytes.length - from)
          from += taken
          position += taken
          if (taken < skipped || from >= bytes.length) continue
          const read = readHeader(file, bytes.subarray(from))
          from += read
          position += read
        } else {
          const part = bytes.subarray(from, from + left)
          yield* contents(part)
          from += part.length
          position += part.length
        }
        if (left === 0) yield* endFile(file)
      }
    },
    /** Whether the end of every file was reached, also of the files that were skipped. */
    isComplete: (): boolean => index === files.length
  }
}
