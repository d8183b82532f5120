/**
 * Keeps a name from changing the order of the text around it. In a sentence in English or German, a browser or mail
 * program writes the letters of an Arabic or Hebrew name from right to left. The program then treats a number after the
 * name, and a comma between the two, as a part of the name, and shows both on the wrong side: for `at "مكتب", 2 hours`
 * the 2 stands to the left of the name. Unicode's isolates (U+2068 and U+2069, UAX 9) prevent this. Pages write them as
 * `<bdi>` where elements are allowed (`html/Html.ts` of adapters-http).
 *
 * A name without such letters stays as it is, so that most texts have no invisible characters. Only a text that people
 * read gets isolates: texts that are stored, answers of the API, webhooks and files have the plain name.
 */
export const FIRST_STRONG_ISOLATE = "\u2068"
export const POP_DIRECTIONAL_ISOLATE = "\u2069"

// The blocks of the scripts that are written from right to left, such as Hebrew and Arabic.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * The characters that change the direction of text. A name cannot have these characters (`shared/Text.ts`), but a text
 * of an app can, such as the app's id of a user. Without these characters, a text cannot end the isolate around it.
 */
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g

/** Whether the text could change the order of the text around it. */
export const isDirected = (text: string): boolean => RIGHT_TO_LEFT.test(text) || text.search(CONTROLS) !== -1

/** The text without the characters that change its direction. */
export const withoutControls = (text: string): string => text.replaceAll(CONTROLS, "")

/** The text between isolates. */
export const enclosed = (text: string): string =>
  `${FIRST_STRONG_ISOLATE}${withoutControls(text)}${POP_DIRECTIONAL_ISOLATE}`

/** The name between isolates; a name that cannot change any order stays as it is. */
export const isolate = (name: string): string => (isDirected(name) ? enclosed(name) : name)
