/**
 * Every text of a page, once per language, with a file for each folder of pages or for a part of a folder. A page uses
 * `texts.today.title` without its reader's language: the language is chosen when the page is complete. `textsIn` has
 * the texts of one language, for example for files to download. README.md says how to write a text (decision
 * languages-1).
 *
 * @module
 */

import { Isolation } from "@place-access/domain/languages"
import type { Language } from "@place-access/domain/shared"
import { forReader, Html, type Value } from "../html/Html.js"
import * as german from "./de/index.js"
import * as germanWords from "./de/words.js"
import * as english from "./en/index.js"
import * as englishWords from "./en/words.js"

type Language = Language.Language

/** The texts of a language as its files have them. */
export type TextFiles = typeof english

const FILES: Readonly<Record<Language, TextFiles>> = { en: english, de: german }

/** The texts of one language, for texts outside of pages, such as a file to download. */
export const textsIn = (language: Language): TextFiles => FILES[language]

const WORDS = { en: englishWords, de: germanWords } satisfies Record<Language, object>

/** A number as the language writes it: `12,345` or `12.345`. */
export const number = (language: Language, value: number): string => WORDS[language].number(value)

/**
 * The same tree of texts as in a file of a language. Here, each text (or function of the values in a text) gives HTML
 * in the language of the person who reads the page.
 */
export type Texts<File> = {
  readonly [Name in keyof File]: File[Name] extends (...values: infer Values) => Value
    ? (...values: Values) => Html
    : File[Name] extends Value
      ? Html
      : Texts<File[Name]>
}

type Node = Value | ((...values: ReadonlyArray<unknown>) => Value) | { readonly [name: string]: Node }

const isBranch = (node: Node): node is { readonly [name: string]: Node } =>
  typeof node === "object" && node !== null && !Array.isArray(node) && !(node instanceof Html)

/**
 * The text, or the group of texts, at a path in the files of a language. All languages have the paths of English,
 * because the compiler requires that their files have the type of the English files.
 */
const at = (language: Language, path: ReadonlyArray<string>): Node =>
  path.reduce<Node>((node, name) => (isBranch(node) ? node[name] : undefined), FILES[language] as unknown as Node)

const ofNode = (node: Node, path: ReadonlyArray<string>): unknown => {
  if (isBranch(node)) {
    return Object.fromEntries(Object.entries(node).map(([name, child]) => [name, ofNode(child, [...path, name])]))
  }
  if (typeof node !== "function") return forReader(({ language }) => at(language, path) as Value)
  return (...values: ReadonlyArray<unknown>) =>
    forReader(({ language }) => {
      const text = at(language, path)
      return typeof text === "function" ? text(...values.map(isolated)) : (text as Value)
    })
}

/**
 * Isolates the names among the values of a text (`Isolation`). In the finished text a name is only a part of a string,
 * so `Html` could no longer find the name to isolate it.
 */
const isolated = (value: unknown): unknown =>
  typeof value === "string" ? Isolation.isolate(value) : Array.isArray(value) ? value.map(isolated) : value

/** Every text, in the language of the person who reads the page. */
export const texts = ofNode(english as unknown as Node, []) as Texts<TextFiles>

/**
 * The texts of a script in the browser, as JSON for the attribute `data-texts` of its `<script>` element. The texts
 * contain no HTML, because the script shows each text with `textContent` or as the value of an attribute.
 */
export const forScript = (own: (files: TextFiles) => object): Html =>
  forReader(({ language }) => JSON.stringify(own(textsIn(language))))

type MessageName = keyof TextFiles["frame"]["messages"]

const MESSAGES: ReadonlyMap<string, MessageName> = new Map(
  Object.entries(english.frame.messages).map(([name, message]) => [message, name as MessageName])
)

/** A message of the API, in the reader's language. Undefined when `frame.messages` has no text for the message. */
export const ofApi = (message: string): Html | undefined => {
  const name = MESSAGES.get(message)
  return name === undefined ? undefined : texts.frame.messages[name]
}
