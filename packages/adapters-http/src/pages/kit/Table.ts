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
