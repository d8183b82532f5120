import { type Day, LocalDays } from "@place-access/domain/fixes"
import { Timestamp, type TimeZone, Words } from "@place-access/domain/shared"
import { Option } from "effect"
import { forReader, Html, html } from "../../html/Html.js"
import { texts, textsIn } from "../../languages/index.js"

const words = texts.timeline.calendar
const { DAY, plus } = Timestamp

/**
 * This module draws a month as a table. Days with data are links, and the shade of a day shows how many readings it
 * has.
 */

/** A date as `2026-03-01`. The year needs four digits: otherwise `LocalDays` does not read the date. */
const dateOf = (year: number, month: number, day = 1): string =>
  `${String(year).padStart(4, "0")}-${Words.twoDigits(month)}-${Words.twoDigits(day)}`

/** A month of the calendar, with its days and with the instants at which the month begins and ends. */
export interface CalendarMonth {
  readonly name: Html
  readonly dates: ReadonlyArray<string>
  readonly from: Timestamp.Timestamp
  readonly until: Timestamp.Timestamp
  /** A date of the previous month, and a date of the next month, for the links to these months. */
  readonly before: string
  readonly after: string
}

/** The month of a date (`2026-11-22`) in the zone. */
export const monthOf = (zone: TimeZone.TimeZone, date: string): CalendarMonth => {
  const [year = 1970, month = 1] = date.split("-").map(Number)
  const [nextYear, nextMonth] = month === 12 ? [year + 1, 1] : [year, month + 1]
  const [pastYear, pastMonth] = month === 1 ? [year - 1, 12] : [year, month - 1]
  const days = Array.from({ length: 31 }, (_, index) => dateOf(year, month, index + 1)).flatMap((one) =>
    Option.toArray(LocalDays.dayOf(zone, one))
  )
  const [first, last] = [days[0], days.at(-1)]
  return {
    name: forReader(({ language }) => words.month(textsIn(language).time.months[month - 1] ?? "", year)),
    dates: days.map((one) => one.date),
    from: first?.from ?? (0 as Timestamp.Timestamp),
    until: last?.until ?? (0 as Timestamp.Timestamp),
    before: dateOf(pastYear, pastMonth),
    after: dateOf(nextYear, nextMonth)
  }
}

/** The column of a date in the table, from 0 for Monday (Zeller's congruence, for the Gregorian calendar). */
const column = (date: string): number => {
  const [year = 1970, month = 1, day = 1] = date.split("-").map(Number)
  const [y, m] = month < 3 ? [year - 1, month + 12] : [year, month]
  const saturdayFirst =
    (day +
      Math.floor((13 * (m + 1)) / 5) +
      (y % 100) +
      Math.floor((y % 100) / 4) +
      Math.floor(Math.floor(y / 100) / 4) +
      5 * Math.floor(y / 100)) %
    7
  return (saturdayFirst + 5) % 7
}

/** The row of links has `ROW` days. At most `AFTER` of them are after the chosen day. */
const ROW = 7
const AFTER = 3

/**
 * The days around the chosen day, as a row of links. No day in the future follows the chosen day, because most people
 * look for a day of the last week.
 */
export const row = (
  path: string,
  zone: TimeZone.TimeZone,
  { date: chosen, from, until }: LocalDays.WholeDay,
  today: string
): Html => {
  const days = LocalDays.between(zone, plus(from, -ROW * DAY), plus(until, AFTER * DAY)).map(({ date }) => date)
  const shown = days.filter((date) => date <= today || date <= chosen).slice(-ROW)
  const weekdays = Object.values(words.weekdays)
  return html`<nav class="daylinks" aria-label="${words.around}">
    ${shown.map((date) => {
      const weekday = weekdays[column(date)]
      return html`<a href="${path}?day=${date}" ${date === chosen && new Html(' aria-current="date"')}
        ><abbr title="${weekday?.long}">${weekday?.short}</abbr> ${Number(date.slice(8))}</a
      >`
    })}
  </nav>`
}

interface Shown {
  readonly path: string
  readonly month: CalendarMonth
  readonly data: ReadonlyArray<Day>
  readonly chosen: string
  readonly today: string
}

export const draw = ({ chosen, data, month, path, today }: Shown): Html => {
  const fixes = new Map(data.map((day) => [day.date, day.fixes]))
  const most = Math.max(1, ...fixes.values())
  const rows: Array<Array<string | null>> = []
  month.dates.forEach((date) => {
    const at = column(date)
    if (rows.length === 0 || at === 0) rows.push(Array.from({ length: 7 }, () => null))
    const row = rows.at(-1)
    if (row !== undefined) row[at] = date
  })
  const cell = (date: string | null): Html => {
    if (date === null) return html`<td></td>`
    const number = Number(date.slice(8))
    const here = date === chosen ? new Html(' aria-current="date"') : null
    const readings = fixes.get(date)
    const kind = `${date === today ? "today" : ""}`
    if (readings === undefined) {
      return html`<td class="${kind}">${here === null ? number : html`<span${here}>${number}</span>`}</td>`
    }
    const shade = Math.ceil(Math.sqrt(readings / most) * 3)
    return html`<td class="${kind}">
      <a class="shade${shade}" href="${path}?day=${date}" ${here} title="${words.locations(readings)}">${number}</a>
    </td>`
  }
  return html`<table class="calendar">
    <caption>
      <a href="${path}?day=${month.before}" aria-label="${words.before}">‹</a>
      <strong>${month.name}</strong>
      <a href="${path}?day=${month.after}" aria-label="${words.after}">›</a>
    </caption>
    <thead>
      <tr>
        ${Object.values(words.weekdays).map(({ long, short }) => html`<th scope="col"><abbr title="${long}">${short}</abbr></th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${row.map(cell)}
          </tr>`
      )}
    </tbody>
  </table>`
}
