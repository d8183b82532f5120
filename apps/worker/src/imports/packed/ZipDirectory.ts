import { Either } from "effect"

// The list of files at the end of a zip file (APPNOTE 6.3, §4.3). The list says where each file begins and how long it
// is. A reader without this list would look for the marks between files, and could mistake compressed bytes for a mark.

export interface ZipFile {
  readonly name: string
  /**
   * The bytes of the name, each as one character. When the name is in an old encoding, `name` has U+FFFD for each
   * letter outside of ASCII, so that two files can have the same `name`. `rawName` still differs.
   */
  readonly rawName: string
  /** The method of compression. 0: stored; 8: deflated. */
  readonly method: 0 | 8
  /** The position where the file's local header begins. */
  readonly offset: number
  readonly compressed: number
  readonly size: number
  /** The checksum (CRC-32) of the expanded bytes. */
  readonly crc: number
}

/** Why the archive cannot be used: it is damaged, made to harm the reader, or not made by this service. */
export type DirectoryFault = "damaged" | "unsafe_archive" | "foreign_archive"

const END = 0x06054b50
const FILE = 0x02014b50
const END_BYTES = 22
const FILE_BYTES = 46
const HEADER_BYTES = 30
/**
 * How many bytes at the end of our archive a reader keeps. The list of files and the comment behind it fit into them.
 */
export const TAIL_BYTES = 131_072
/** `TAIL_BYTES` for an archive of another program, whose list may have the names of thousands of photos. */
export const FOREIGN_TAIL_BYTES = 4_194_304
/** The most files of our archive. The archive has a GPX file for each month, so this is enough for a hundred years. */
const MAX_FILES = 2_000
/** The most files of another program's archive: a Takeout of ten years has a file for each photo. */
const MAX_FOREIGN_FILES = 30_000
const MAX_FOLDERS = 32
/** A plain file name, without a folder, so that it cannot lead out of a folder or name a device. */
const NAME = /^[a-z0-9][a-z0-9-]{0,60}\.(?:json|jsonl|gpx)$/
const ENCRYPTED = 1

/**
 * Reads the list of files, in the order of their offsets. `tail` has the last bytes of an archive of `length` bytes.
 * `maker` says who made the archive: an archive of this service must have plain names and few files. In an archive of
 * another program, files that are encrypted or packed by another method are left out.
 */
export const read = (
  tail: Uint8Array,
  length: number,
  maker: "ours" | "foreign" = "ours"
): Either.Either<ReadonlyArray<ZipFile>, DirectoryFault> => {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength)
  const end = findEnd(view)
  if (end === undefined) return Either.left("damaged")
  const [count, bytes, offset] = [
    view.getUint16(end + 10, true),
    view.getUint32(end + 12, true),
    view.getUint32(end + 16, true)
  ]
  // Fields of Zip64 are not read, because only archives that are too long for an upload need them.
  if (count > (maker === "ours" ? MAX_FILES : MAX_FOREIGN_FILES)) return Either.left("unsafe_archive")
  const start = offset - (length - tail.length)
  if (start < 0 || start + bytes > end) return Either.left("damaged")
  const files: Array<ZipFile> = []
  let at = start
  for (let index = 0; index < count; index++) {
    if (at + FILE_BYTES > end || view.getUint32(at, true) !== FILE) return Either.left("damaged")
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)]
    const [crc = 0, compressed = 0, size = 0] = [16, 20, 24].map((from) => view.getUint32(at + from, true))
    const lengths = [28, 30, 32].map((from) => view.getUint16(at + from, true))
    const [nameBytes = 0] = lengths
    const bytesOfName = Buffer.from(tail.subarray(at + FILE_BYTES, at + FILE_BYTES + nameBytes))
    const [name, rawName] = [bytesOfName.toString("utf8"), bytesOfName.toString("latin1")]
    if (isHarmful(name) || name.split("/").length > MAX_FOLDERS) return Either.left("unsafe_archive")
    const isReadable = (flags & ENCRYPTED) === 0 && (method === 0 || method === 8)
    if (maker === "ours" && (!NAME.test(name) || !isReadable)) return Either.left("foreign_archive")
    const offset = view.getUint32(at + 42, true)
    if (isReadable) files.push({ name, rawName, method, offset, compressed, size, crc })
    at += FILE_BYTES + lengths.reduce((all, one) => all + one, 0)
  }
  return inOrder(files, offset)
}

/**
 * Looks backwards for the end record, whose comment reaches to the end of the archive. Returns undefined when there is
 * no end record.
 */
const findEnd = (view: DataView): number | undefined => {
  for (let at = view.byteLength - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) === END && at + END_BYTES + view.getUint16(at + 20, true) === view.byteLength)
      return at
  }
  return undefined
}

const isHarmful = (name: string): boolean => /(?:^|[/\\])\.\.(?:[/\\]|$)|^[/\\]|^[a-z]:|\0/i.test(name)

/**
 * Sorts the files by offset. Refuses two files with the same name, and files that overlap: with overlaps, a small
 * archive could expand the same bytes as thousands of files.
 */
const inOrder = (files: ReadonlyArray<ZipFile>, end: number): Either.Either<ReadonlyArray<ZipFile>, DirectoryFault> => {
  const sorted = [...files].sort((a, b) => a.offset - b.offset)
  const overlaps = sorted.some(
    ({ compressed, offset }, index) => offset + HEADER_BYTES + compressed > (sorted[index + 1]?.offset ?? end)
  )
  const isTwice = new Set(files.map(({ rawName }) => rawName)).size < files.length
  return overlaps || isTwice ? Either.left("unsafe_archive") : Either.right(sorted)
}
