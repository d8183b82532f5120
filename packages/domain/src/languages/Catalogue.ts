import type { Language } from "../shared/Language.js"
import { pairs as german } from "./de/Pairs.js"
import * as Template from "./Template.js"

/** An English template (`from`), and its translation into one language. */
export interface Entry {
  readonly from: Template.TextTemplate
  readonly to: Template.TextTemplate
}

/**
 * The entries of a language. Most are grouped by the first word of the English template, so that a text is compared
 * with the few templates that begin with its first word, and with the few other entries. This saves time: a page of the
 * access log translates 50 texts.
 */
export interface LanguageCatalogue {
  /** The text before the last part of a list, such as " und " with its spaces. */
  readonly and: string
  readonly byFirstWord: ReadonlyMap<string, ReadonlyArray<Entry>>
  /** Entries without a literal first word: they begin with a number, a moment or a quotation mark. */
  readonly others: ReadonlyArray<Entry>
  /**
   * Entries that begin with a slot for any text, such as a name. They are compared only with a whole text and not with
   * its sentences, because the slot could match the beginning of every sentence.
   */
  readonly open: ReadonlyArray<Entry>
}

export const firstWord = (text: string): string => {
  const space = text.indexOf(" ")
  return space === -1 ? text : text.slice(0, space)
}

const compile = (and: string, entries: ReadonlyArray<Entry>): LanguageCatalogue => {
  // Of several templates that match, the first one is used. The sort puts templates with long literals first, because
  // their slots match the least text.
  const sorted = [...entries].sort((a, b) => b.from.weight - a.from.weight)
  const byFirstWord = new Map<string, Array<Entry>>()
  const others: Array<Entry> = []
  const open: Array<Entry> = []
  for (const entry of sorted) {
    const { head, parts } = entry.from
    if (Template.isOpen(entry.from)) open.push(entry)
    else if (!head.includes(" ") && parts.length > 0) others.push(entry)
    else {
      const word = firstWord(head)
      const listed = byFirstWord.get(word) ?? []
      byFirstWord.set(word, [...listed, entry])
    }
  }
  return { and, byFirstWord, others, open }
}

const entryOf = (en: string, other: string): Entry => ({ from: Template.parse(en), to: Template.parse(other) })

const GERMAN = german.map(({ de, en }) => entryOf(en, de))

/**
 * All catalogues. The English catalogue leaves a text as it is: its templates only show where the names are in the
 * text.
 */
export const catalogues: Readonly<Record<Language, LanguageCatalogue>> = {
  en: compile(
    " and ",
    GERMAN.map(({ from }) => ({ from, to: from }))
  ),
  de: compile(" und ", GERMAN)
}
