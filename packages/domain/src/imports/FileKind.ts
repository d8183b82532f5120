// What kind of file was uploaded (decision imports-4).
/** The kind of a file by its first bytes, so that a wrong file is refused during the upload. */
export type FileKind = "xml" | "json" | "own_archive" | "archive" | "other"

const [LESS, BRACE, BRACKET] = [0x3c, 0x7b, 0x5b]
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
/** First bytes of texts: byte order marks of UTF-8 and UTF-16, the zero byte of an ASCII character in UTF-16. */
const MARKS: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf, 0xff, 0xfe, 0x00])

/** The first file of each archive of this service: a zip file that begins otherwise is refused during the upload. */
const FIRST_FILE = "account.json"
/** Where the name of a zip file's first file begins. */
const NAME_AT = 30

const isOwn = (beginning: Uint8Array): boolean =>
  [...FIRST_FILE].every((character, index) => beginning[NAME_AT + index] === character.charCodeAt(0))

/** The kind by the first bytes; the file name does not count. */
export const of = (beginning: Uint8Array): FileKind => {
  const [first, second] = beginning
  if (first === 0x50 && second === 0x4b) return isOwn(beginning) ? "own_archive" : "archive"
  if (first === 0x1f && second === 0x8b) return "archive"
  switch (beginning.find((byte) => !BLANKS.has(byte) && !MARKS.has(byte))) {
    case LESS:
      return "xml"
    case BRACE:
    case BRACKET:
      return "json"
    default:
      return "other"
  }
}

/** What is wrong with a file of this kind; undefined when it may be read. */
export const problem = (kind: FileKind): string | undefined => {
  switch (kind) {
    case "xml":
    case "json":
    case "own_archive":
      return undefined
    case "archive":
      return "must be unpacked first: choose the GPX file, Timeline.json or Records.json inside"
    case "other":
      return "must be a GPX file, a Google Timeline or an archive of this service"
  }
}
