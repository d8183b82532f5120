import type { Import } from "@place-access/domain/imports"
import type { Expansion } from "./Expansion.js"
import * as Members from "./Members.js"
import { NO_ENTRIES, slices, STEP_BYTES, type StepReader, type Steps } from "./Steps.js"
import { UnsafeArchive } from "./ZipStream.js"

const BLOCK_BYTES = 512
const NAME_BYTES = 100
const [SIZE_AT, SIZE_BYTES, TYPE_AT] = [124, 12, 156]
const [MAGIC_AT, MAGIC_BYTES] = [257, 6]
const [PREFIX_AT, PREFIX_BYTES] = [345, 155]
/**
 * The types of ordinary files: `0`, `7`, and a zero byte in old archives. Folders, links and long names have other
 * types.
 */
const FILE_TYPES: ReadonlySet<number> = new Set([0x30, 0x37, 0])

/** Reads the files in a tar archive (POSIX ustar and pax). A header stands before each file. */
export const open = (expansion: Expansion, openInner: (path: string) => StepReader): StepReader => {
  const members = Members.make(openInner)
  let fault: Import.ImportFault | null = null
  let header: Buffer = Buffer.alloc(0)
  /** The number of bytes that are left of the current file, and of the padding behind it. */
  let [left, filling] = [0, 0]
  let isFile = false

  const begin = function* (block: Buffer): Steps<void> {
    expansion.file()
    const size = sizeOf(block)
    isFile = FILE_TYPES.has(block[TYPE_AT] ?? 0)
    left = size
    filling = (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES
    if (isFile) members.begin(pathOf(block))
    if (isFile && size === 0) yield* members.end()
  }

  const push = function* (bytes: Uint8Array): Steps<void> {
    let from = 0
    while (from < bytes.length) {
      if (left > 0) {
        const part = bytes.subarray(from, from + left)
        if (isFile) yield* members.bytes(part)
        left -= part.length
        from += part.length
        if (left === 0 && isFile) yield* members.end()
      } else if (filling > 0) {
        const passed = Math.min(filling, bytes.length - from)
        filling -= passed
        from += passed
      } else {
        const part = bytes.subarray(from, from + BLOCK_BYTES - header.length)
        header = Buffer.concat([header, part])
        from += part.length
        if (header.length < BLOCK_BYTES) return
        // Blocks of zeros mark the end of the archive.
        if (header.some((byte) => byte !== 0)) yield* begin(header)
        header = Buffer.alloc(0)
      }
    }
  }

  return {
    format: () => members.format(),
    push: function* (bytes) {
      expansion.packed(bytes.length)
      try {
        // A few packed bytes may contain many small files, and each of them costs some work, also when it is skipped.
        for (const slice of slices(bytes, STEP_BYTES)) {
          if (fault === null) yield* push(slice)
          yield NO_ENTRIES
        }
      } catch (error) {
        fault = error instanceof UnsafeArchive ? "unsafe_archive" : "damaged"
      }
      return { fault }
    },
    end: function* () {
      fault ??= left > 0 || header.length > 0 ? "cut_off" : members.fault()
      return { fault }
    }
  }
}

/**
 * Reads the path of a file. POSIX divides a path of more than 100 bytes into a prefix and a rest. In other kinds of
 * tar, this header has only the first 100 bytes of a long path.
 */
const pathOf = (block: Buffer): string => {
  const text = (at: number, bytes: number): string => block.toString("latin1", at, at + bytes).split("\0", 1)[0] ?? ""
  const prefix = text(MAGIC_AT, MAGIC_BYTES) === "ustar" ? text(PREFIX_AT, PREFIX_BYTES) : ""
  return prefix === "" ? text(0, NAME_BYTES) : `${prefix}/${text(0, NAME_BYTES)}`
}

/** Reads the size of a file: octal digits, or a binary number when the first bit is set. */
const sizeOf = (block: Buffer): number => {
  if (((block[SIZE_AT] ?? 0) & 0x80) !== 0) return block.readUIntBE(SIZE_AT + SIZE_BYTES - 6, 6)
  const text = block
    .toString("latin1", SIZE_AT, SIZE_AT + SIZE_BYTES)
    .replaceAll("\0", "")
    .trim()
  if (!/^[0-7]*$/.test(text)) throw new Error("no size")
  return text === "" ? 0 : Number.parseInt(text, 8)
}
