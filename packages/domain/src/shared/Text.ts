import { Schema } from "effect"

/**
 * Texts that people write, such as names, labels and descriptions. The service trims these texts and puts them into
 * Unicode's composed form. It measures their lengths in code points, not in UTF-16 units.
 */

/**
 * The length in code points. A simple emoji counts once (in UTF-16 it would count twice). A composed "é" also counts
 * once.
 */
export const length = (text: string): number => [...text].length

// Control characters (PostgreSQL refuses NUL), line and paragraph separators, halves of surrogate pairs, and the
// direction overrides that let one name be displayed as another. Joiners stay: emoji and Persian need them.
const FORBIDDEN = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** Whether PostgreSQL can store the text, and a page displays the characters in the order in which they are written. */
export const isPlain = (text: string): boolean => !FORBIDDEN.test(text)

// Characters that show nothing, such as the soft hyphen, zero-width space, marks of direction, invisible operators and
// tags. With invisible characters, two different names could look the same. Tags after a black flag stay, because they
// make the flags of England, Scotland and Wales.
const UNSEEN =
  /(\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f})|\u034f|[\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

// A letter, digit, punctuation mark or symbol. Fillers of Hangul and the empty Braille cell are left out, because they
// count as letters or symbols but show nothing.
const VISIBLE = /(?![\u115f\u1160\u2800\u3164\uffa0])[\p{L}\p{N}\p{P}\p{S}]/u

const shown = (text: string): string => {
  const kept = text.replace(UNSEEN, "$1")
  return VISIBLE.test(kept) || FORBIDDEN.test(kept) ? kept : ""
}

/**
 * The text in Unicode's composed form (NFC). Composing joins at most four code points into one. So a text of more than
 * `4 * max` code points is too long even after composing: it is returned as it is, and the caller must refuse it.
 * Composing such a long text could take minutes, because many combining marks in a row take quadratic time.
 */
export const composed = (text: string, max: number): string => (length(text) > 4 * max ? text : text.normalize("NFC"))

/**
 * Removes characters that show nothing, then trims and composes a text. A text without a visible character becomes
 * empty, unless it has a forbidden character (`FORBIDDEN`): in this case the error must be about the forbidden
 * character. `max`: the most characters that the caller accepts.
 */
const normalised = (max: number) =>
  Schema.transform(Schema.String, Schema.String, {
    strict: true,
    decode: (text) => composed(shown(text.replaceAll("\r\n", "\n")).trim(), max),
    encode: (text) => text
  })

const LINE_BREAKS = /[\r\n\v\f\u0085\u2028\u2029]+/

/**
 * Joins the lines of a text with blanks: somebody who pastes a name that is broken into two lines wants one line. Takes
 * time linear in the text's length.
 */
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

/**
 * Limits the length of a text. The annotation repeats the bounds for the OpenAPI document. The document is made from
 * the schemas, but the bounds of a filter that follows a transformation do not get into it.
 */
const counted = (written: Schema.Schema<string>, min: number, max: number) =>
  written.annotations({ jsonSchema: { type: "string", minLength: min, maxLength: max } }).pipe(
    Schema.filter((text) => length(text) >= min, {
      message: () => (min === 1 ? "must not be empty" : `must be at least ${min} characters`)
    }),
    Schema.filter((text) => length(text) <= max, { message: () => `must be at most ${max} characters` })
  )

/** One line of `min` to `max` characters. Line breaks become blanks (`Joined`) before characters are counted. */
export const line = (min: number, max: number) =>
  counted(Schema.compose(Joined, normalised(max)), min, max).pipe(
    Schema.filter(isPlain, { message: () => "must be one line of text without control characters" })
  )

/** A text of `min` to `max` characters, which may have several lines. */
export const paragraphs = (min: number, max: number) =>
  counted(normalised(max), min, max).pipe(
    Schema.filter((text) => isPlain(text.replaceAll("\n", "")), {
      message: () => "must be text without control characters"
    })
  )
