// Translates the domain's English texts. Decision languages-2.
import type { Language } from "../shared/Language.js"
import { type LanguageCatalogue, catalogues, type Entry, firstWord } from "./Catalogue.js"
import { FIRST_STRONG_ISOLATE, isDirected, isolate } from "./Isolation.js"
import * as Template from "./Template.js"

/** A part of a text. `said` is the translation of the part; undefined when no template matches the part. */
interface Stretch {
  readonly text: string
  readonly said: string | undefined
}

/**
 * Translates a text. A part of the text that no template matches stays as it is, and so does every name in the text.
 * Moments stay in English and UTC: `Words.inZone` converts them last, into the reader's zone and language.
 *
 * The text is looked up as a whole, then by paragraph, by line, and by sentence. So sentences that the domain puts
 * together are translated one by one, and a name that looks like a sentence stays a name.
 */
export const translate = (text: string, language: Language): string =>
  language === "en"
    ? text
    : stretchesOf({ ...catalogues[language], name: identity }, text)
        .map(({ said, text }) => said ?? text)
        .join("")

/**
 * Translates a text for a page or a mail, and isolates each name that is written from right to left. The templates tell
 * where the names are, in English texts too. A part that no template matches is isolated as a whole. A text that
 * already has isolates gets no further ones: it is a mail that was stored in its reader's language.
 */
export const readable = (text: string, language: Language): string =>
  isDirected(text) && !text.includes(FIRST_STRONG_ISOLATE)
    ? stretchesOf({ ...catalogues[language], name: isolate }, text)
        .map(({ said, text }) => said ?? isolate(text))
        .join("")
    : translate(text, language)

/** The parts that no template matches, for the test that every text of the domain is translated. */
export const untranslated = (text: string, language: Language): ReadonlyArray<string> =>
  language === "en"
    ? []
    : stretchesOf({ ...catalogues[language], name: identity }, text).flatMap(({ said, text }) =>
        said === undefined ? [text] : []
      )

/** A catalogue, and the function that is applied to each name in a text. */
interface Reading extends LanguageCatalogue {
  readonly name: (text: string) => string
}

const stretchesOf = (catalogue: Reading, text: string): ReadonlyArray<Stretch> => {
  const whole = say(catalogue, text, catalogue.open)
  if (whole !== undefined) return [{ text, said: whole }]
  return split(text, "\n\n", (paragraph) => {
    const said = say(catalogue, paragraph)
    return said === undefined
      ? split(paragraph, "\n", (line) => stretchesOfLine(catalogue, line))
      : [{ text: paragraph, said }]
  })
}

const split = (
  text: string,
  separator: string,
  stretches: (piece: string) => ReadonlyArray<Stretch>
): ReadonlyArray<Stretch> =>
  text
    .split(separator)
    .flatMap((piece, index) => [
      ...(index === 0 ? [] : [{ text: separator, said: separator }]),
      ...(piece === "" ? [] : stretches(piece))
    ])

const BULLET = "- "

const stretchesOfLine = (catalogue: Reading, line: string): ReadonlyArray<Stretch> => {
  const said = say(catalogue, line)
  if (said !== undefined) return [{ text: line, said }]
  if (!line.startsWith(BULLET)) return stretchesOfSentences(catalogue, line)
  const item = line.slice(BULLET.length)
  return [{ text: BULLET, said: BULLET }, ...stretchesOfSentences(catalogue, item)]
}

/** The space between two sentences. */
const BOUNDARY = /(?<=[.!?]) (?=\S)/g

/**
 * The maximum number of sentences of a line that is split. A longer line is translated as a whole or not at all: the
 * domain writes at most eight sentences in a line, so a longer line contains a name that somebody chose in order to
 * cause work.
 */
const MOST_SENTENCES = 24

/**
 * Splits the line so that as many characters as possible are translated, in as few parts as possible. A part may have
 * several sentences, because a name may contain the end of a sentence.
 */
const stretchesOfSentences = (catalogue: Reading, line: string): ReadonlyArray<Stretch> => {
  const starts = [0, ...[...line.matchAll(BOUNDARY)].map(({ index }) => index + 1)]
  if (starts.length === 1 || starts.length > MOST_SENTENCES) {
    return [{ text: line, said: say(catalogue, line) ?? sayFaults(catalogue, line) }]
  }
  let best: ReadonlyArray<Way> = [{ known: 0, stretches: null }]
  // The loop goes from the last sentence to the first. `best[0]` is the best way to translate the sentences that the
  // loop has already seen.
  for (let from = starts.length - 1; from >= 0; from--) {
    const ways = best.map((rest, index): Way => {
      const start = starts[from] ?? 0
      const end = starts[from + index + 1] ?? line.length + 1
      const text = line.slice(start, end - 1)
      const said = say(catalogue, text)
      // A part of several sentences must have a translation. Only a single sentence may stay in English.
      if (said === undefined && index > 0) return { known: -1, stretches: null }
      return {
        known: rest.known + (said === undefined ? 0 : text.length),
        stretches: { stretch: { text, said }, rest: rest.stretches }
      }
    })
    best = [ways.reduce((a, b) => (b.known >= a.known ? b : a)), ...best]
  }
  return listed(best[0]?.stretches ?? null)
}

/** The maximum number of faults of one field that are translated. */
const MOST_FAULTS = 6

/**
 * Translates the faults of one field, which the HTTP adapter joins into one text: `must not be empty, must be one
 * line`.
 */
const sayFaults = (catalogue: Reading, line: string): string | undefined => {
  const faults = line.split(FAULT, MOST_FAULTS + 1)
  if (faults.length < 2 || faults.length > MOST_FAULTS) return undefined
  const said = faults.map((fault) => say(catalogue, fault))
  return said.includes(undefined) ? undefined : said.join(FAULT)
}

const FAULT = ", "

interface Way {
  /** How many characters are translated when the sentences are joined into parts in this way. */
  readonly known: number
  readonly stretches: Chain | null
}

interface Chain {
  readonly stretch: Stretch
  readonly rest: Chain | null
}

const listed = (chain: Chain | null): ReadonlyArray<Stretch> =>
  chain === null
    ? []
    : [chain.stretch, ...(chain.rest === null ? [] : [{ text: " ", said: " " }, ...listed(chain.rest)])]

/** Translates the whole text with a single entry of the catalogue; undefined when no entry matches. */
const say = (
  catalogue: Reading,
  text: string,
  further: ReadonlyArray<Entry> = [],
  // Translates the text in a slot of the kind `text` or `list`. This text may match a second template, but the texts in
  // the slots of the second template always count as names.
  sayPart: (part: string) => string = (part) => say(catalogue, part, [], catalogue.name) ?? catalogue.name(part)
): string | undefined => {
  for (const entries of [catalogue.byFirstWord.get(firstWord(text)) ?? [], catalogue.others, further]) {
    for (const { from, to } of entries) {
      const filling = Template.match(from, text)
      if (filling === undefined) continue
      return Template.write(to, filling, (kind, filled) =>
        kind === "text"
          ? sayPart(filled)
          : kind === "list"
            ? listOf(catalogue.and, filled, sayPart)
            : catalogue.name(filled)
      )
    }
  }
  return undefined
}

const identity = (part: string): string => part

const AND = " and "

/** Translates a list such as `A, B and C`: each part by `sayPart`, and the word "and". */
const listOf = (and: string, list: string, sayPart: (part: string) => string): string => {
  const last = list.lastIndexOf(AND)
  return last === -1
    ? sayPart(list)
    : list.slice(0, last).split(", ").map(sayPart).join(", ") + and + sayPart(list.slice(last + AND.length))
}
