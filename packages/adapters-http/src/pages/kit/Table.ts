import { Isolation } from "@place-access/domain/languages"
import { html, type Html, type Text, type Value } from "../../html/Html.js"

/**
 * A table. On a screen as narrow as a phone's, each row becomes a stack of cells, and the `data-label` of a cell is its
 * label.
 */
export const stacked = (headings: ReadonlyArray<Text>, rows: Value): Html =>
  html`<div class="scroll">
    <table class="stack">
      <thead>
        <tr>
          ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`

/** Matches the position after a separator in a code or in the path of a call. */
const AFTER_SEPARATOR = /(?<=[^\s/:][._/])/

/** Matches the position after the @ of an e-mail address. */
const AFTER_AT = /(?<=@)/

/** Lets a browser break a long code or e-mail address after a separator, and not in the middle of a word. */
export const breakable = (text: string): Html => {
  // A text that is written from right to left must not be divided, because each part would be isolated from the others.
  if (Isolation.isDirected(text)) return html`${text}`
  const parts = text.split(text.includes("@") ? AFTER_AT : AFTER_SEPARATOR)
  return html`${parts.map((part, index) => html`${index > 0 && html`<wbr />`}${part}`)}`
}

/** A code in a cell. On a wide screen, the column is wide enough for the longest word of the code. */
export const code = (text: string): Html => html`<code class="whole">${breakable(text)}</code>`
