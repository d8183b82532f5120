import { Schema } from "effect"

/**
 * What people write and other people read: names, labels, descriptions. Trimmed, in Unicode's composed form, and counted
 * in characters as people count them, not in UTF-16 units.
 */

/** Unicode characters (code points): an emoji counts once, an "é" once however it was typed. */
export const length = (text: string): number => [...text].length

// Control characters (PostgreSQL refuses NUL), line and paragraph separators, halves of surrogate pairs, and the
// direction overrides that let one name be displayed as another. Joiners stay: emoji and Persian need them.
const FORBIDDEN = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** No control characters and nothing else that cannot be stored or would deceive the eye. */
export const isPlain = (text: string): boolean => !FORBIDDEN.test(text)

const Normalised = Schema.transform(Schema.String, Schema.String, {
  strict: true,
  decode: (text) => text.replaceAll("\r\n", "\n").normalize("NFC").trim(),
  encode: (text) => text
})

const LINE_BREAKS = /[\r\n\v\f\u0085\u2028\u2029]+/

/** A line break, or several with blanks around them, is one blank: who pastes two lines means one. Linear in the length of the text. */
const Joined = Schema.transform(Schema.String, Schema.String, {
  strict: true,
  decode: (text) =>
    LINE_BREAKS.test(text)
      ? text
          .split(LINE_BREAKS)
          .map((part) => part.trim())
          .filter((part) => part !== "")
          .join(" ")
      : text,
  encode: (text) => text
})

/** The document of the API cannot see through a transformation, so the bounds are said beside it. */
const counted = (written: Schema.Schema<string>, min: number, max: number) =>
  written.annotations({ jsonSchema: { type: "string", minLength: min, maxLength: max } }).pipe(
    Schema.filter((text) => length(text) >= min, {
      message: () => (min === 1 ? "must not be empty" : `must be at least ${min} characters`)
    }),
    Schema.filter((text) => length(text) <= max, { message: () => `must be at most ${max} characters` })
  )

/** One line of `min` to `max` characters; a line break becomes a blank before they are counted. */
export const line = (min: number, max: number) =>
  counted(Schema.compose(Joined, Normalised), min, max).pipe(
    Schema.filter(isPlain, { message: () => "must be one line of text without control characters" })
  )

/** The same with line breaks allowed inside. */
export const paragraphs = (min: number, max: number) =>
  counted(Normalised, min, max).pipe(
    Schema.filter((text) => isPlain(text.replaceAll("\n", "")), {
      message: () => "must be text without control characters"
    })
  )
