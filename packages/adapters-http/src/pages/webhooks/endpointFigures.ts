import { COUNTED_MAX, EndpointFigures, type EndpointOverview } from "@place-access/domain/figures"
import type { Html } from "../../html/Html.js"
import { html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { bars, tallest } from "../kit/Bars.js"
import { count, ofDomain, time } from "../kit/Time.js"

/**
 * The section about the attempts to send to an endpoint: success rates, durations, the last 24 hours as bars, and the
 * present failure if there is one.
 */

const words = texts.webhooks.figures

export const section = ({ health, hours, lastDay, lastWeek, waiting }: EndpointOverview): Html =>
  html`<section class="card" aria-labelledby="figures">
    <h2 id="figures">${words.heading}</h2>
    ${failure(health)}
    <dl>
      <dt>${words.day}</dt>
      <dd>${summed(lastDay)}</dd>
      <dt>${words.week}</dt>
      <dd>${summed(lastWeek)}</dd>
      <dt>${words.waiting}</dt>
      <dd>${count(waiting)}${waiting >= COUNTED_MAX && html` ${words.orMore}`}</dd>
      ${
        health._tag === "Healthy" &&
        html`<dt>${words.lastSuccess}</dt>
          <dd>${time(health.at)}</dd>`
      }
    </dl>
    <p class="soft small">${words.byHour}</p>
    ${bars(
      { caption: words.byHour, name: words.hour, value: words.attempts, bad: words.failed },
      hours.map(({ failed, from, succeeded }) => ({ name: time(from), value: succeeded + failed, bad: failed })),
      tallest(hours.map(({ failed, succeeded }) => succeeded + failed))
    )}
    <p class="soft small">${words.hint}</p>
  </section>`

/** The attempts in a sentence: `98.5% of 1,234 attempts succeeded, 95% took at most 200 ms`. */
const summed = ({ attempts, p95Millis, succeeded }: EndpointFigures.AttemptSummary): Html => {
  if (attempts === 0 || p95Millis === null) return words.noAttempts
  const percent = ((100 * succeeded) / attempts).toFixed(1)
  // Attempts that took longer than the last bound but one are all counted under the last bound. So the last bound is
  // not a measured duration.
  const [bound = 0, late] = EndpointFigures.BOUNDS_MILLIS.slice(-2)
  return p95Millis === late ? words.summedLate(percent, attempts, bound) : words.summed(percent, attempts, p95Millis)
}

/**
 * The present failure of an endpoint, in red. The page shows a failure after the first failed attempt (decision
 * figures-3). False while the newest attempt succeeded or no attempt is known.
 */
export const failure = (health: EndpointFigures.EndpointHealth): Html | false =>
  health._tag === "Failing" &&
  html`<div class="note bad">
    <p>
      <strong>${words.failing(time(health.at))}</strong> ${health.error !== null && html`${ofDomain(health.error)}.`}
      ${health.succeededAt === null ? words.noSuccess : words.succeeded(time(health.succeededAt))}
    </p>
  </div>`
