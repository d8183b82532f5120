import { type Html, html, type Text, type Value } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import * as Table from "./Table.js"

const words = texts.frame.comparison

/**
 * This module makes a table that compares the approved version of an app or a purpose with a newer version that needs,
 * or needed, the approval of a reviewer. The table has one row for each compared field.
 */

const CHANGED = html`<br /><span class="badge warn">${words.changed}</span>`

interface Row {
  readonly name: Text
  readonly isChanged: boolean
  readonly current: Value
  readonly pending: Value
}

export const table = (
  { current, pending }: { readonly current: Text; readonly pending: Text },
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

/**
 * The cells for two lists of codes, such as scopes. Badges mark the codes that disappear and the codes that are new.
 */
export const lists = (current: ReadonlyArray<string>, pending: ReadonlyArray<string>) => ({
  current: codes(current, pending, html`<span class="badge quiet">${words.removed}</span>`),
  pending: codes(pending, current, html`<span class="badge">${words.added}</span>`)
})

// Separates the codes with <br>. A <ul> would not do: on a phone, the cell's label is to the left of the first code,
// and the items of the list would be indented further.
const codes = (own: ReadonlyArray<string>, other: ReadonlyArray<string>, badge: Html): Html =>
  html`${own.map(
    (one, index) =>
      html`${index > 0 && html`<br />`}<code>${Table.breakable(one)}</code>${!other.includes(one) && html` ${badge}`}`
  )}`
