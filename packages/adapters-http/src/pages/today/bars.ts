import type { Today } from "@place-access/domain/timeline"
import { attribute, type Html, html, type Text } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { count } from "../kit/Time.js"

/** Pictures of numbers, drawn on the server. Screen readers read the table behind each one. */

const WIDTH = 10
const GAP = 3
const HEIGHT = 32

/** One bar a day. `max` is the tallest bar of all pictures on the page, so that apps can be compared. */
export const bars = (
  caption: Text,
  days: ReadonlyArray<{ readonly name: Text; readonly value: number }>,
  max: number
): Html => {
  const width = days.length * (WIDTH + GAP) - GAP
  return html`<svg class="bars" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" aria-hidden="true">
      ${days.map(({ name, value }, index) => bar(index, html`${name}: ${count(value)}`, value, max, index === days.length - 1))}
    </svg>
    <div class="unseen">
      <table>
        <caption>
          ${caption}
        </caption>
        <thead>
          <tr>
            <th scope="col">${texts.today.asked.day}</th>
            <th scope="col">${texts.today.asked.requests}</th>
          </tr>
        </thead>
        <tbody>
          ${days.map(
            ({ name, value }) =>
              html`<tr>
                <th scope="row">${name}</th>
                <td>${count(value)}</td>
              </tr>`
          )}
        </tbody>
      </table>
    </div>`
}

/** A day with one request is visible beside a day with thousands, so heights grow with the square root. */
const bar = (index: number, title: Text, value: number, max: number, isLast: boolean): Html => {
  const height = value === 0 ? 2 : Math.max(4, Math.round(Math.sqrt(value / Math.max(max, 1)) * HEIGHT))
  const kind = value === 0 ? "none" : isLast ? "now" : null
  return html`<rect
    x="${index * (WIDTH + GAP)}"
    y="${HEIGHT - height}"
    width="${WIDTH}"
    height="${height}"
    rx="2"
    ${attribute("class", kind)}
    ><title>${title}</title></rect
  >`
}

export const tallest = (asked: Today.Today["asked"]): number => Math.max(1, ...asked.flatMap(({ counts }) => counts))
