import type { Account } from "@place-access/domain/accounts"
import type { App } from "@place-access/domain/apps"
import { type AppDay, AppFigures, COUNTED_MAX, readAppFigures } from "@place-access/domain/figures"
import { Timestamp, TimeZone } from "@place-access/domain/shared"
import { Today } from "@place-access/domain/timeline"
import { Effect } from "effect"
import { type Html, html, type Text, type Value } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { bars, tallest } from "../kit/Bars.js"
import type { PageReader } from "../kit/Page.js"
import { count, heading } from "../kit/Time.js"
import { appPath } from "./shared.js"

/** The section of an app's overview page with the app's numbers of the last 14 days. */

const words = texts.developer.figures

export const section = (account: Account.Account, app: App.App, reader: PageReader) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const begins = Today.days(reader.locale.zone ?? TimeZone.UTC, now).map(({ from }) => from)
    const { days, isAtMax, users } = yield* readAppFigures(account, app.id, [...begins, Timestamp.plus(now, 1)])
    const sum = (read: (day: AppDay) => number) => days.reduce((all, day) => all + read(day), 0)
    const [calls, errors] = [sum((day) => day.calls), sum(errorsOf)]
    const peak = Math.max(0, ...days.map(({ peakPercent }) => peakPercent))
    return html`<section class="card" aria-labelledby="figures">
      <h2 id="figures">${words.heading(days.length)}</h2>
      <ul class="figures">
        ${figure(
          words.users,
          count(users),
          isAtMax && words.usersMost(COUNTED_MAX),
          picture(days, words.connected, words.number, ({ connected }) => connected)
        )}
        ${figure(
          words.calls,
          count(calls),
          false,
          picture(days, words.calls, words.number, (day) => day.calls, errorsOf)
        )}
        ${figure(
          words.errors,
          count(errors),
          calls > 0 && words.errorShare(((100 * errors) / calls).toFixed(1)),
          picture(days, words.errors, words.number, errorsOf)
        )}
        ${figure(
          words.rateUse,
          words.rateShare(peak),
          words.rateText(sum(({ limited }) => limited)),
          picture(days, words.rateUse, words.percent, ({ peakPercent }) => peakPercent)
        )}
        ${figure(
          words.firings,
          count(sum(({ firings }) => firings)),
          false,
          picture(days, words.firings, words.number, ({ firings }) => firings)
        )}
      </ul>
      <p class="soft small">
        ${words.hint} ${begins.some((begin) => begin !== AppFigures.hourOf(begin)) && words.splitHours}
      </p>
      <p><a href="${appPath(app)}/calls">${words.log}</a></p>
    </section>`
  })

const errorsOf = ({ failed, refused }: AppDay): number => failed + refused

const figure = (name: Html, value: Html, also: Value, drawn: Html): Html =>
  html`<li>
    ${name} <strong class="figure">${value}</strong> ${also !== false && html`<span class="soft small">${also}</span>`}
    ${drawn}
  </li>`

const picture = (
  days: ReadonlyArray<AppDay>,
  what: Html,
  unit: Text,
  valueOf: (day: AppDay) => number,
  badOf?: (day: AppDay) => number
): Html =>
  bars(
    {
      caption: words.caption(what),
      name: words.day,
      value: unit,
      ...(badOf === undefined ? {} : { bad: words.errors })
    },
    days.map((day) => ({ name: heading(day.from), value: valueOf(day), bad: badOf?.(day) ?? 0 })),
    tallest(days.map(valueOf))
  )
