import type { Locale } from "./Locale.js"

/**
 * HTML that escapes by default. In `` html`<p>${name}</p>` `` every value is escaped unless it is `Html` itself, so a
 * template cannot forget to escape. A template puts values into text or into double-quoted attributes only: elsewhere
 * this escaping would not be safe.
 *
 * Texts and times depend on the reader's language and time zone, which a function that makes a part of a page does not
 * know. So a value can be a function of the locale, and `in` calls these functions when the page is complete.
 */
export class Html {
  readonly written: string | ((locale: Locale) => string)
  constructor(written: string | ((locale: Locale) => string)) {
    this.written = written
  }

  /** The HTML as text, for one reader. */
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

/** A text that a person chose, such as the name of a place, or a text of the service in the reader's language. */
export type Text = string | Html

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "")

/** The value as HTML: a string if it is the same for every reader, otherwise a function of the locale. */
const written = (value: Value): Html["written"] => {
  if (value instanceof Html) return value.written
  if (value === false || value === null || value === undefined) return ""
  if (typeof value === "object") return join(value.map(written))
  return escape(String(value))
}

const join = (parts: ReadonlyArray<Html["written"]>): Html["written"] =>
  parts.every((part) => typeof part === "string")
    ? parts.join("")
    : (locale) => parts.map((part) => (typeof part === "string" ? part : part(locale))).join("")

export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  new Html(join(strings.flatMap((string, index) => (index === 0 ? [string] : [written(values[index - 1]), string]))))

/** Makes a value that depends on the reader: `value` is called with the reader's locale when the page is complete. */
export const forReader = (value: (locale: Locale) => Value): Html =>
  new Html((locale) => {
    const part = written(value(locale))
    return typeof part === "string" ? part : part(locale)
  })

export const nothing = new Html("")

/** The boolean attribute ` name`, such as `checked`, if `on` is true; otherwise nothing. */
export const flag = (name: "checked" | "multiple" | "open" | "readonly" | "required" | "selected", on: boolean): Html =>
  on ? new Html(` ${name}`) : nothing

/** The attribute ` name="value"`; nothing when there is no value. */
export const attribute = (name: string, value: Text | number | null | undefined): Html =>
  value === null || value === undefined ? nothing : html` ${new Html(name)}="${value}"`

/**
 * An address that a stranger wrote, for use in `href`. Any other address than a web address, such as `javascript:`,
 * becomes `#`.
 */
export const webAddress = (text: string): string => (/^https?:\/\//i.test(text) ? text : "#")
