/**
 * HTML that escapes by default. In `` html`<p>${name}</p>` `` every value is escaped unless it is `Html` itself, so a
 * template cannot forget to. Values stand in text or inside double-quoted attributes; nothing else is safe and nothing
 * else is used.
 */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** `false`, `null` and `undefined` leave nothing, so that `condition && html`…`` reads well. */
export type Value = string | number | Html | false | null | undefined | ReadonlyArray<Value>

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "")

const render = (value: Value): string => {
  if (value instanceof Html) return value.text
  if (value === false || value === null || value === undefined) return ""
  if (typeof value === "object") return value.map(render).join("")
  return escape(String(value))
}

export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  new Html(strings.reduce((text, string, index) => text + render(values[index - 1]) + string))

export const nothing = new Html("")

/** The boolean attribute ` name`, such as `checked`, if `on`; otherwise nothing. */
export const flag = (name: "checked" | "selected" | "required" | "open" | "readonly", on: boolean): Html =>
  on ? new Html(` ${name}`) : nothing

/** ` name="value"`, or nothing when there is no value. */
export const attribute = (name: string, value: string | number | null | undefined): Html =>
  value === null || value === undefined ? nothing : new Html(` ${name}="${escape(String(value))}"`)

/** A stranger's address, for use in `href`: only web addresses pass, never `javascript:`. */
export const webAddress = (text: string): string => (/^https?:\/\//i.test(text) ? text : "#")
