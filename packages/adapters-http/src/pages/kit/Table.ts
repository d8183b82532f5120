import { html, type Html, type Text, type Value } from "../../html/Html.js"

/** A table. On the width of a phone each row becomes a stack of cells, which `data-label` names. */
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
