import { Isolation } from "@place-access/domain/languages"
import type { Locale } from "./Locale.js"

/**
 * HTML that escapes by default. In `` html`<p>${name}</p>` `` every value is escaped unless it is `Html` itself, so a
 * template cannot forget to escape. A template puts values into text or into double-quoted attributes only: elsewhere
 * this escaping would not be safe.
 *
 * A template also isolates texts that are written from right to left, such as an Arabic name, so that they do not
 * change the order of the numbers and commas beside them (`Isolation` of the domain). In the text of an element it
 * writes `<bdi>`: a name that somebody copies from the page then has no invisible characters. `Context` lists the
 * contexts in which a browser would show `<bdi>` as text.
 *
 * Texts and times depend on the reader's language and time zone, which a function that makes a part of a page does not
 * know. So a value can be a function of the locale, and `in` calls these functions when the page is complete.
 */
export class Html {
  readonly written: string | ((locale: Locale) => string)
  constructor(written: string | ((locale: Locale) => string)) {
    this.written = written
  }

  /** Writes the HTML as a string, for one reader. */
  in(locale: Locale): string {
    return typeof this.written === "string" ? this.written : this.written(locale)
  }

  /**
   * Throws. An `Html` in a plain template string is a mistake: its text may depend on the reader, and the HTML would be
   * escaped like any other string.
   */
  toString(): string {
    throw new Error("Html stands in a template string: use html`…`")
  }
}

/** A value in a template. `false`, `null` and `undefined` write nothing, which allows `condition && html`…``. */
export type Value = string | number | Html | false | null | undefined | ReadonlyArray<Value>

/**
 * A text in a template: a string that a person chose, such as the name of a place, or `Html` with a text of the service
 * in the reader's language.
 */
export type Text = string | Html

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "")

/**
 * Where a value is in a template. `element`: in the text of an element. `plain`: in a text that cannot have elements,
 * such as a page's title or an attribute that is read aloud. `exact`: in any other attribute, or in a text field. The
 * browser uses such a text as it is, for example as an address, or sends it back to the service.
 */
type Context = "element" | "plain" | "exact"

/** The attributes that browsers show or read aloud. */
const READ_ALOUD: ReadonlySet<string> = new Set(["alt", "aria-label", "data-label", "placeholder", "title"])

const contextOfAttribute = (name: string): Context => (READ_ALOUD.has(name) ? "plain" : "exact")

/** Matches the start of a tag whose end is not yet written, and the attribute whose value is not yet written. */
const IN_TAG = /<[a-z][^<>]*$/i
const IN_ATTRIBUTE = /([\w-]+)="[^"]*$/
/**
 * Matches the start of an element in which `<bdi>` would not work, and whose end tag is not yet written. In SVG,
 * `<text>` shows no `<bdi>`.
 */
const IN_PLAIN = /<(title|option|textarea|text)\b[^>]*>(?:(?!<\/\1>)[^])*$/i

const contextAfter = (before: string): Context => {
  const tag = IN_TAG.exec(before)?.[0]
  if (tag !== undefined) return contextOfAttribute(IN_ATTRIBUTE.exec(tag)?.[1] ?? "")
  const element = IN_PLAIN.exec(before)?.[1]
  return element === undefined ? "element" : element === "textarea" ? "exact" : "plain"
}

/** The contexts of the values of each template. They depend only on the template, so they are found once. */
const contexts = new WeakMap<TemplateStringsArray, ReadonlyArray<Context>>()

const contextsOf = (strings: TemplateStringsArray): ReadonlyArray<Context> => {
  const known = contexts.get(strings)
  if (known !== undefined) return known
  const found = strings.map((_, index) => contextAfter(strings.slice(0, index + 1).join("")))
  contexts.set(strings, found)
  return found
}

const ISOLATED = new RegExp(`${Isolation.FIRST_STRONG_ISOLATE}(.*?)${Isolation.POP_DIRECTIONAL_ISOLATE}`, "gs")

/**
 * Isolates a text as a whole, unless the function that wrote the text has already isolated the names in it. Then these
 * isolates stay. All other characters that change the direction of text are removed, because an app can put such
 * characters into its own texts.
 */
const isolated = (text: string): string => {
  const parts = text.split(ISOLATED)
  if (parts.length === 1) return Isolation.isolate(text)
  // `parts` alternates: a text outside of the isolates, the content of an isolate, a text outside of the isolates, and
  // so on.
  return parts.map((part, at) => (at % 2 === 1 ? Isolation.enclosed(part) : Isolation.withoutControls(part))).join("")
}

const ofText = (text: string, context: Context): string => {
  if (context === "exact" || !Isolation.isDirected(text)) return escape(text)
  const escaped = escape(isolated(text))
  return context === "plain" ? escaped : escaped.replace(ISOLATED, "<bdi>$1</bdi>")
}

/**
 * Replaces `<bdi>` in a context that cannot have elements: in a `plain` text by isolation characters, in an `exact`
 * text by nothing. Texts of people are escaped, so each `<bdi>` comes from a template.
 */
const without = (html: string, context: Context): string =>
  context === "element"
    ? html
    : html.replace(/<bdi>(.*?)<\/bdi>/gs, (_, text: string) => (context === "plain" ? Isolation.isolate(text) : text))

/** The value as HTML: a string if it is the same for every reader, otherwise a function of the locale. */
const written = (value: Value, context: Context = "element"): Html["written"] => {
  if (value instanceof Html) {
    const { written: html } = value
    if (context === "element") return html
    return typeof html === "string" ? without(html, context) : (locale) => without(html(locale), context)
  }
  if (value === false || value === null || value === undefined) return ""
  if (typeof value === "object") return join(value.map((one) => written(one, context)))
  return ofText(String(value), context)
}

const join = (parts: ReadonlyArray<Html["written"]>): Html["written"] =>
  parts.every((part) => typeof part === "string")
    ? parts.join("")
    : (locale) => parts.map((part) => (typeof part === "string" ? part : part(locale))).join("")

export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  new Html(
    join(
      strings.flatMap((string, index) =>
        index === 0 ? [string] : [written(values[index - 1], contextsOf(strings)[index - 1]), string]
      )
    )
  )

/** Makes a value that depends on the reader: `value` is called with the reader's locale when the page is complete. */
export const forReader = (value: (locale: Locale) => Value): Html =>
  new Html((locale) => {
    const part = written(value(locale))
    return typeof part === "string" ? part : part(locale)
  })

export const nothing = new Html("")

/** A list such as `A, B, C`. */
export const commas = (items: ReadonlyArray<Text>): Html =>
  html`${items.map((item, index) => html`${index > 0 && ", "}${item}`)}`

/** The boolean attribute ` name`, such as `checked`, if `on` is true; otherwise nothing. */
export const flag = (name: "checked" | "multiple" | "open" | "readonly" | "required" | "selected", on: boolean): Html =>
  on ? new Html(` ${name}`) : nothing

/** The attribute ` name="value"`; nothing when there is no value. */
export const attribute = (name: string, value: Text | number | null | undefined): Html =>
  value === null || value === undefined
    ? nothing
    : new Html(join([` ${name}="`, written(value, contextOfAttribute(name)), '"']))

/**
 * An address that a stranger wrote, for use in `href`. Any other address than a web address, such as `javascript:`,
 * becomes `#`.
 */
export const webAddress = (text: string): string => (/^https?:\/\//i.test(text) ? text : "#")
