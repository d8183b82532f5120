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

const { raw } = String

// The letters of the Arabic script that join the next letter. A non-joiner between such a letter and another letter
// changes the shape of both, as in Persian plurals. After any other letter it shows nothing.
const JOINING = [
  raw`[\u0620\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u066e\u066f\u0678-\u0687`,
  raw`\u069a-\u06bf\u06c1\u06c2\u06cc\u06ce\u06d0\u06d1\u06fa-\u06fc\u06ff]`
].join("")
const ARABIC = raw`[[[\u0620-\u06ff]&&\p{L}]--[\u0621\u0674]]`

// The sign of an Indic script that joins two consonants. A joiner or non-joiner after this sign changes their shape.
// The sign of Tamil is not listed: Tamil shows it in nearly all words, with and without a joiner.
const VIRAMA = raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0c4d\u0ccd\u0d4d\u0dca]`

// Where characters that show nothing stay, because text looks different without them: in an emoji (the list comes from
// Unicode, because only some emoji can be joined), between letters of the scripts above, and between the letter r and a
// virama in Bengali and Kannada. Each pattern looks for its joiner first. A pattern that looked back first would do so
// at every character, which takes quadratic time for many combining marks in a row.
const NEEDED = [
  raw`(?=\p{Emoji})\p{RGI_Emoji}`,
  raw`\u200c(?<=${JOINING}\p{M}*.)(?=${ARABIC})`,
  raw`\u200d(?<=${VIRAMA}\p{M}*.)`,
  raw`\u200c(?<=${VIRAMA}\p{M}*.)(?=\p{L})`,
  raw`\u200d(?<=[\u09b0\u0cb0].)(?=\p{M}*${VIRAMA})`
].join("|")

// Characters that show nothing, such as the soft hyphen, the zero-width space, variation selectors and tags. With
// invisible characters, two different names could look the same. The list of Unicode also has direction overrides,
// which are `FORBIDDEN`.
const UNSEEN = raw`[[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u{1d159}]--[\u202a-\u202e\u2066-\u2069]]`
const ANY_UNSEEN = new RegExp(UNSEEN, "gv")
const NEEDED_OR_UNSEEN = new RegExp(`(${NEEDED})|${UNSEEN}`, "gv")

// The fillers of Hangul and the empty Braille cell look like a blank, although they count as letters or symbols.
const FILLERS = /[\u2800\u3164\uffa0]/g

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u

/** For a text that is too long anyway, `bare` is enough: looking for each emoji in a megabyte would take seconds. */
const shown = (text: string, max: number): string => {
  const bare = text.replace(FILLERS, " ").replace(ANY_UNSEEN, "")
  const isTooLong = length(bare.trim()) > 4 * max
  const kept = isTooLong ? bare : text.replace(FILLERS, " ").replace(NEEDED_OR_UNSEEN, "$1")
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
    decode: (text) => composed(shown(text.replaceAll("\r\n", "\n"), max).trim(), max),
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
