import { type Html, html, type Text, type Value } from "../../html/Html.js"

/** A setting: its present value, and the link to its page. */
export interface Row {
  readonly heading: Text
  readonly text: Value
  readonly to: string
  readonly open: Text
}

/**
 * A group of settings, with one row for each setting. Rows are small, so that all groups fit on one or two screens of a
 * phone.
 */
export const group = (id: string, heading: Text, rows: ReadonlyArray<Row>): Html =>
  html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    <ul class="plain rows settings">
      ${rows.map(
        (row) =>
          html`<li>
            <div>
              <h3>${row.heading}</h3>
              <p class="soft small">${row.text}</p>
            </div>
            <a href="${row.to}">${row.open}</a>
          </li>`
      )}
    </ul>
  </section>`
