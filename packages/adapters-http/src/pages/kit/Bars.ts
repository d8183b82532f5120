import { attribute, type Html, html, type Text } from "../../html/Html.js"
import { count } from "./Time.js"

/**
 * This module draws bar charts on the server. Each chart has a table with the same numbers, which screen readers read
 * instead.
 */

const WIDTH = 10
const GAP = 3
const HEIGHT = 32

export interface DrawnBar {
  /** The label of the bar: the day or the hour. */
  readonly name: Text
  readonly value: number
  /** The part of `value` that counts failures or late readings, in another colour at the foot of the bar. */
  readonly bad?: number
}

/** The headings of the table that screen readers read instead of the chart. */
export interface BarTable {
  readonly caption: Text
  /**
   * The headings of the table's columns: the day or hour (`name`), the value, and the failures or late readings
   * (`bad`). `bad` is left out for a chart that counts neither.
   */
  readonly name: Text
  readonly value: Text
  readonly bad?: Text
}

/**
 * Draws a bar for each value. The last bar is for the present day or hour. `max`: the value at which a bar has the full
 * height. Charts that people compare need the same `max` (`tallest`).
 */
export const bars = (table: BarTable, list: ReadonlyArray<DrawnBar>, max: number): Html => {
  const width = list.length * (WIDTH + GAP) - GAP
  const { bad: badHead, caption, name: nameHead, value: valueHead } = table
  return html`<svg class="bars" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" aria-hidden="true">
      ${list.map((one, index) => bar(index, one, badHead, max, index === list.length - 1))}
    </svg>
    <div class="unseen">
      <table>
        <caption>
          ${caption}
        </caption>
        <thead>
          <tr>
            <th scope="col">${nameHead}</th>
            <th scope="col">${valueHead}</th>
            ${badHead !== undefined && html`<th scope="col">${badHead}</th>`}
          </tr>
        </thead>
        <tbody>
          ${list.map(
            ({ bad = 0, name, value }) =>
              html`<tr>
                <th scope="row">${name}</th>
                <td>${count(value)}</td>
                ${badHead !== undefined && html`<td>${count(bad)}</td>`}
              </tr>`
          )}
        </tbody>
      </table>
    </div>`
}

/**
 * One bar. Its height grows with the square root, so that a day with one request is visible beside a day with
 * thousands.
 */
const bar = (
  index: number,
  { bad = 0, name, value }: DrawnBar,
  badHead: Text | undefined,
  max: number,
  isLast: boolean
) => {
  const height = value === 0 ? 2 : Math.max(4, Math.round(Math.sqrt(value / Math.max(max, 1)) * HEIGHT))
  const kind = value === 0 ? "none" : isLast ? "now" : null
  const title = html`${name}: ${count(value)}${badHead !== undefined && bad > 0 && html`, ${badHead}: ${count(bad)}`}`
  const foot = bad === 0 ? 0 : Math.max(2, Math.round((bad / value) * height))
  return html`${rect(index, HEIGHT - height, height, kind, title)}${
    foot > 0 && rect(index, HEIGHT - foot, foot, "bad", title)
  }`
}

const rect = (index: number, y: number, height: number, kind: string | null, title: Html): Html =>
  html`<rect
    x="${index * (WIDTH + GAP)}"
    y="${y}"
    width="${WIDTH}"
    height="${height}"
    rx="2"
    ${attribute("class", kind)}
    ><title>${title}</title></rect
  >`

/** The value `max` for charts that people compare: the greatest of their values, and at least 1. */
export const tallest = (values: ReadonlyArray<number>): number => Math.max(1, ...values)
