import { type Html, html, type Value } from "./Html.js"

/** What is in force beside what is to replace it, a row for each part. */

const CHANGED = html`<br /><span class="badge warn">Changed</span>`

interface Row {
  readonly name: string
  readonly isChanged: boolean
  readonly current: Value
  readonly pending: Value
}

export const table = (
  { current, pending }: { readonly current: string; readonly pending: string },
  rows: ReadonlyArray<Row>
): Html =>
  html`<div class="scroll">
    <table class="stack">
      <thead>
        <tr>
          <td></td>
          <th scope="col">${current}</th>
          <th scope="col">${pending}</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              <th scope="row">${row.name}${row.isChanged && CHANGED}</th>
              <td data-label="${current}">${row.current}</td>
              <td data-label="${pending}">${row.pending}</td>
            </tr>`
        )}
      </tbody>
    </table>
  </div>`

/** Two lists of codes, with what goes and what is new marked. */
export const lists = (current: ReadonlyArray<string>, pending: ReadonlyArray<string>) => ({
  current: codes(current, pending, html`<span class="badge quiet">Goes</span>`),
  pending: codes(pending, current, html`<span class="badge">New</span>`)
})

// Lines rather than a list: on a phone the cell's label stands beside the first one.
const codes = (own: ReadonlyArray<string>, other: ReadonlyArray<string>, badge: Html): Html =>
  html`${own.map(
    (one, index) => html`${index > 0 && html`<br />`}<code>${one}</code>${!other.includes(one) && html` ${badge}`}`
  )}`
