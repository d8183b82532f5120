import type { Import } from "@place-access/domain/imports"
import { Gunzip } from "fflate"
import { crc32 } from "node:zlib"
import type { Expansion } from "./Expansion.js"
import { NO_ENTRIES, slices, type StepReader, type Steps } from "./Steps.js"
import { UnsafeArchive } from "./ZipStream.js"

/** How many compressed bytes are expanded at a time. At the highest ratio of the format they become 4 MiB. */
const SLICE_BYTES = 4_096

/** Reads the file inside a gzip file piece by piece, while it expands the gzip file. */
export const open = (expansion: Expansion, openInner: () => StepReader): StepReader => {
  const inner = openInner()
  let fault: Import.ImportFault | null = null
  /** The expanded bytes that are not read yet. */
  let expanded: Array<Uint8Array> = []
  const members = expander((bytes) => {
    expansion.unpacked(bytes.length)
    if (bytes.length > 0) expanded.push(bytes)
  })

  /**
   * Expands a slice of compressed bytes, and reads the result. When the slice is damaged, the bytes that were expanded
   * before the damage are still read.
   */
  const readSlice = function* (slice: Uint8Array): Steps<void> {
    let failure: Import.ImportFault | null = null
    try {
      members.push(slice)
    } catch (error) {
      failure = error instanceof UnsafeArchive ? "unsafe_archive" : "damaged"
    }
    const pieces = expanded
    expanded = []
    for (const piece of pieces) {
      if (fault === null) fault = (yield* inner.push(piece)).fault
    }
    fault ??= failure
  }

  return {
    format: () => inner.format(),
    push: function* (bytes) {
      for (const slice of slices(bytes, SLICE_BYTES)) {
        if (fault !== null) break
        expansion.packed(slice.length)
        yield* readSlice(slice)
        yield NO_ENTRIES
      }
      return { fault }
    },
    end: function* () {
      fault ??= members.end()
      if (fault === null) fault = (yield* inner.end()).fault
      return { fault }
    }
  }
}

/** The length of a member's trailer, which has the member's checksum and length (RFC 1952, §2.3.1). */
const TRAILER_BYTES = 8
/** How many of the last compressed bytes are kept: a trailer, and an incomplete header behind it, fit into them. */
const KEPT_BYTES = 2 * SLICE_BYTES
/** An empty gzip file. */
const EMPTY = Buffer.from("1f8b08000000000000ff03000000000000000000", "hex")

class Damaged extends Error {}

/**
 * Expands the members of a gzip file, which together are one file. Compares each member with the checksum in its
 * trailer, because fflate does not check it. Zeros may follow the last member, for example in a file that was copied in
 * blocks. `push` throws when the file is damaged, and when `onBytes` throws.
 */
const expander = (onBytes: (bytes: Uint8Array) => void) => {
  let received = 0
  let kept: Buffer = Buffer.alloc(0)
  /** The checksum and the length of the expanded bytes of the current member. */
  let sum = 0
  let length = 0
  let isEnding = false
  /** Whether the last member is complete, and only zeros may follow. */
  let isPadding = false
  let atEnd: "cut_off" | "damaged" | "complete" = "cut_off"

  const gunzip = new Gunzip((bytes) => {
    if (isEnding) return
    sum = crc32(bytes, sum)
    length += bytes.length
    onBytes(bytes)
  })
  /** Whether the trailer that ends at this index of `kept` matches the expanded bytes of the current member. */
  const isTrailerBefore = (at: number): boolean =>
    at >= TRAILER_BYTES &&
    kept.readUInt32LE(at - TRAILER_BYTES) === sum &&
    kept.readUInt32LE(at - TRAILER_BYTES + 4) === length % 2 ** 32
  // fflate calls this function when it has read the header of a member after the first one. `offset` is the position
  // where that header begins.
  gunzip.onmember = (offset) => {
    const isRight = isTrailerBefore(kept.length - (received - offset))
    if (isEnding) {
      if (offset === received) atEnd = isRight ? "complete" : "damaged"
      return
    }
    if (!isRight) throw new Damaged()
    sum = 0
    length = 0
  }
  /**
   * Whether the current member is complete and only zeros follow it. The trailer of a member may end with zeros too.
   */
  const hasOnlyZeros = (): boolean => {
    const last = kept.findLastIndex((byte) => byte !== 0) + 1
    for (let at = last; at <= Math.min(last + TRAILER_BYTES, kept.length); at++) if (isTrailerBefore(at)) return true
    return false
  }

  return {
    push: (bytes: Uint8Array): void => {
      if (isPadding && bytes.some((byte) => byte !== 0)) throw new Damaged()
      received += bytes.length
      kept = Buffer.concat([kept, bytes])
      kept = kept.subarray(Math.max(0, kept.length - KEPT_BYTES))
      if (isPadding) return
      try {
        gunzip.push(bytes)
      } catch (error) {
        if (error instanceof UnsafeArchive || error instanceof Damaged || !hasOnlyZeros()) throw error
        isPadding = true
      }
    },
    /** Returns null when the last member was complete and undamaged, else the fault. */
    end: (): Import.ImportFault | null => {
      if (isPadding) return null
      isEnding = true
      try {
        // Adds an empty member, to find out whether the last member is complete: fflate finds the header of the empty
        // member only if the trailer of the last member stands before it.
        gunzip.push(EMPTY, true)
      } catch {
        if (hasOnlyZeros()) return null
      }
      return atEnd === "complete" ? null : atEnd
    }
  }
}
