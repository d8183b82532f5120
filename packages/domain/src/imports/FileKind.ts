// Recognises the kind of an uploaded file (decisions imports-4 and imports-9).
import { Either, Encoding } from "effect"
import * as CsvColumns from "./CsvColumns.js"

/**
 * The kind of an uploaded file. The first bytes of the file show the kind, so a file of a kind that cannot be imported
 * is refused already during the upload.
 */
export type FileKind =
  | "xml"
  | "json"
  | "own_archive"
  | "zip"
  | "gzip"
  | "tar"
  | "fit"
  | "owntracks_log"
  | "csv"
  /** a text without a header that names columns */
  | "text"
  | "other"
  | keyof typeof UNREAD

/**
 * The kinds that cannot be imported, each with the words that describe the kind in a refusal (`problem`). A refusal
 * never repeats bytes of the file.
 */
const UNREAD = {
  jpeg: "a photo (JPEG)",
  png: "a picture (PNG)",
  heic: "a photo (HEIC)",
  gif: "a picture (GIF)",
  webp: "a picture (WebP)",
  mp4: "a video",
  mp3: "a sound file",
  pdf: "a PDF document",
  html: "a web page",
  sqlite: "a database file (SQLite)",
  rar: "a RAR archive",
  seven_zip: "a 7z archive",
  bzip2: "a file packed with bzip2",
  xz: "a file packed with xz",
  zstd: "a file packed with zstd",
  program: "a program"
} as const

const [LESS, BRACE, BRACKET] = [0x3c, 0x7b, 0x5b]
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
/** The bytes that end a line of text: a line feed or a carriage return. */
export const LINE_ENDS: ReadonlySet<number> = new Set([0x0a, 0x0d])
/**
 * Bytes that may come before the first character of a text: byte order marks of UTF-8 and UTF-16, and the zero byte of
 * an ASCII character in UTF-16.
 */
const MARKS: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf, 0xff, 0xfe, 0x00])

/**
 * The first bytes of a zip file: the beginning of its first file or, in an empty zip file, the end of its directory.
 * "PK" alone would also fit a table whose first column is called PK_ID.
 */
const ZIP_BEGINNINGS = ["PK\u0003\u0004", "PK\u0005\u0006"]
/** The name of the first file in each archive that this service makes. */
const FIRST_FILE = "account.json"
/** The offset in a zip file, in bytes, at which the name of its first file begins. */
const NAME_AT = 30

/**
 * How many bytes from the beginning of a file are enough to recognise its kind: the signature of a tar archive is at
 * byte 257. A text may need more bytes, because its first line may be longer (`isCutText`).
 */
export const HEAD_BYTES = 4_096

/** The signatures of kinds: the kind, the offset of the signature in the file, and its bytes. */
const SIGNATURES: ReadonlyArray<readonly [FileKind, number, string]> = [
  ["gzip", 0, "\u001f\u008b"],
  ["tar", 257, "ustar"],
  ["fit", 8, ".FIT"],
  ["jpeg", 0, "\u00ff\u00d8\u00ff"],
  ["png", 0, "\u0089PNG"],
  ["gif", 0, "GIF8"],
  ["heic", 4, "ftyphei"],
  ["heic", 4, "ftypmif"],
  ["mp4", 4, "ftyp"],
  ["webp", 8, "WEBP"],
  ["mp3", 0, "ID3"],
  ["pdf", 0, "%PDF"],
  ["sqlite", 0, "SQLite"],
  ["rar", 0, "Rar!"],
  ["seven_zip", 0, "7z\u00bc\u00af"],
  ["bzip2", 0, "BZh"],
  ["xz", 0, "\u00fd7zXZ"],
  ["zstd", 0, "\u0028\u00b5\u002f\u00fd"],
  ["program", 0, "MZ"],
  ["program", 0, "\u007fELF"]
]

const has = (beginning: Uint8Array, at: number, text: string): boolean =>
  [...text].every((character, index) => beginning[at + index] === character.charCodeAt(0))

/** `2015-10-01T08:00:00Z<tab>*<tab>{"_type":…`: a line of the logs that OwnTracks' recorder writes. */
const LOG_LINE = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)\t[^\t]*\t\s*\{/
const WEB_PAGE = /^[^<]*<(?:!doctype\s+html|html|head|body)\b/i

/**
 * The kind of the file that begins with these bytes. The name of the file does not count, because people rename files.
 */
export const of = (bytes: Uint8Array): FileKind => {
  const beginning = bytes.subarray(0, HEAD_BYTES)
  if (ZIP_BEGINNINGS.some((text) => has(beginning, 0, text))) {
    return has(beginning, NAME_AT, FIRST_FILE) ? "own_archive" : "zip"
  }
  const signed = SIGNATURES.find(([, at, text]) => has(beginning, at, text))
  if (signed !== undefined) return signed[0]
  switch (beginning.find((byte) => !BLANKS.has(byte) && !MARKS.has(byte))) {
    case undefined:
      return "other"
    case LESS:
      return WEB_PAGE.test(textOf(beginning)) ? "html" : "xml"
    case BRACE:
    case BRACKET:
      return "json"
    default:
      return beginning.includes(0) ? "other" : textKind(textOf(bytes))
  }
}

const textKind = (text: string): FileKind => {
  if (LOG_LINE.test(CsvColumns.firstLine(text).trimStart())) return "owntracks_log"
  const header = CsvColumns.headerOf(text)
  return header !== undefined && CsvColumns.isComplete(CsvColumns.guess(header)) ? "csv" : "text"
}

/**
 * Whether these bytes, fewer than `MAX_LINE`, begin a text and stop in the middle of its first line. The caller must
 * then read more bytes, because the rest of the line may show another kind.
 */
export const isCutText = (beginning: Uint8Array): boolean => {
  const first = beginning.findIndex((byte) => !BLANKS.has(byte) && !MARKS.has(byte))
  if (beginning.length >= CsvColumns.MAX_LINE || beginning.subarray(first).some((byte) => LINE_ENDS.has(byte))) {
    return false
  }
  // The first bytes show whether the file is a text. To find the names of all columns would be work for nothing.
  const kind = of(beginning.subarray(0, HEAD_BYTES))
  return kind === "csv" || kind === "text"
}

/** The beginning of a file as text; bytes that are not UTF-8 become U+FFFD. */
export const textOf = (bytes: Uint8Array): string =>
  // Uses Effect's decoder, because this package uses no globals of a platform such as `TextDecoder`.
  Either.getOrElse(Encoding.decodeBase64String(Encoding.encodeBase64(bytes.subarray(0, CsvColumns.MAX_LINE))), () => "")

/** The end of a refusal: it lists the kinds that can be imported. The portal's page of imports has the same list. */
const READ =
  "choose GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, an OwnTracks log, a Google Timeline or Takeout, or an archive of " +
  "this service"

/**
 * Why a file of this kind is refused, as the end of a sentence about the file; undefined when the file may be read.
 * `hasColumns`: the uploader has named the columns of a text, or the service will ask the owner for the columns.
 */
export const problem = (kind: FileKind, hasColumns = false): string | undefined => {
  switch (kind) {
    case "xml":
    case "json":
    case "own_archive":
    case "zip":
    case "gzip":
    case "tar":
    case "fit":
    case "owntracks_log":
    case "csv":
      return undefined
    case "text":
      return hasColumns ? undefined : `is a text without columns for latitude, longitude and time: ${READ}`
    case "other":
      return `is of a kind that is not read here: ${READ}`
    default:
      return `is ${UNREAD[kind]}: ${READ}`
  }
}
