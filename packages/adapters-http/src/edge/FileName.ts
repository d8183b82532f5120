import type { PartInfo } from "multipasta"

// This module finds the name of a file in the header of a form's part. The parser of forms reads such a name only if
// all of its characters are below U+0100. Otherwise the parser drops every parameter of the header, so that a file
// called `Москва.gpx` looks like a field. The parser has already decoded the bytes of the header as UTF-8.

/**
 * Matches one parameter of the header, directly after the previous parameter. A quote ends the value only when the next
 * parameter, or the end of the header, follows the quote. A browser does not escape a backslash, so a name may end with
 * a backslash. The expression needs linear time, because at every position of a header at most one of its alternatives
 * matches.
 */
const PARAMETER = / *; *([^\s=;"]+)=(?:"((?:[^"\\]|\\"(?! *(?:;|$))|\\(?!"(?! *(?:;|$))))*)"(?= *(?:;|$))|([^\s;"]+))/gy

/** How browsers escape a quote and a line break (HTML, "multipart/form-data encoding"). No other escape is decoded. */
const ESCAPES: Readonly<Record<string, string>> = { "%22": '"', "%0D": "\r", "%0A": "\n" }

const unescaped = (name: string): string =>
  name.replace(/%(?:22|0D|0A)/g, (escape) => ESCAPES[escape] ?? escape).replaceAll('\\"', '"')

/**
 * The name of the file as the sender wrote it, or undefined when the part is no file. The name may have a path and any
 * character, so `Import.fileName` must shorten it before a page shows it.
 */
export const fileNameOf = (part: PartInfo): string | undefined => {
  const header = part.headers["content-disposition"]
  if (typeof header !== "string" || part.contentDispositionParameters["filename*"] !== undefined) return part.filename
  PARAMETER.lastIndex = Math.max(header.indexOf(";"), 0)
  for (let match = PARAMETER.exec(header); match !== null; match = PARAMETER.exec(header)) {
    if (match[1]?.toLowerCase() === "filename") return unescaped(match[2] ?? match[3] ?? "")
  }
  return part.filename
}

/**
 * Whether the part is a file. A part without a file name is a file when its content type is `application/octet-stream`.
 */
export const isFile = (part: PartInfo): boolean =>
  fileNameOf(part) !== undefined || part.contentType === "application/octet-stream"
