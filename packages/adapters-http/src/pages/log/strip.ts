import type { LocalDays } from "@place-access/domain/fixes"
import type { Today } from "@place-access/domain/timeline"
import { attribute, type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { heading } from "../kit/Time.js"

/**
 * This module draws one bar a day for each app, on the server. A bar links to the entries of its app and day, so the
 * picture is also a filter. Each link has its numbers as text, so screen readers need no table.
 */

const words = texts.accessLog.strips

const WIDTH = 24
const GAP = 2
const HEIGHT = 30

interface Strip {
  readonly path: string
  readonly days: ReadonlyArray<LocalDays.LocalDay>
  readonly activity: ReadonlyArray<Today.AppActivity>
}

export const strips = ({ activity, days, path }: Strip): Html => {
  const max = Math.max(1, ...activity.flatMap(({ counts }) => counts))
  return html`<section class="card" aria-labelledby="strips">
    <h2 id="strips">${words.heading(days.length)}</h2>
    <ul class="plain strips">
      ${activity.map(
        (app) =>
          html`<li>
            <a href="${path}?app=${app.appId}">${app.name}</a>
            <svg class="bars" viewBox="0 0 ${days.length * (WIDTH + GAP)} ${HEIGHT}">
              ${days.map((day, index) => bar(path, app, day, index, max))}
            </svg>
          </li>`
      )}
    </ul>
    <p class="soft small">${words.hint}</p>
  </section>`
}

const bar = (
  path: string,
  { appId, counts, name }: Today.AppActivity,
  { date, from }: LocalDays.LocalDay,
  index: number,
  max: number
): Html => {
  const value = counts[index] ?? 0
  // The height of a bar grows with the square root of its value, so that a day with one request is visible beside a day
  // with thousands.
  const height = value === 0 ? 2 : Math.max(5, Math.round(Math.sqrt(value / max) * HEIGHT))
  const x = index * (WIDTH + GAP)
  const drawn = html`<rect
    x="${x}"
    y="${HEIGHT - height}"
    width="${WIDTH}"
    height="${height}"
    rx="3"
    ${attribute("class", value === 0 ? "none" : null)}
  ></rect>`
  if (value === 0) return drawn
  const said = words.bar(name, heading(from), value)
  return html`<a href="${path}?app=${appId}&from=${date}&to=${date}" aria-label="${said}"
    ><title>${said}</title><rect class="hit" x="${x}" y="0" width="${WIDTH}" height="${HEIGHT}"></rect>${drawn}</a
  >`
}
