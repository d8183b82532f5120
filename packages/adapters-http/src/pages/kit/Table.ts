import { html, type Html, type Value } from "./Html.js"

/** Rows under headings; on a phone's width each row is a stack of cells, named by their `data-label`. */
export const stacked = (headings: ReadonlyArray<string>, rows: Value): Html =>
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
