import type { Device, Sending } from "@place-access/domain/devices"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { bars, tallest } from "../kit/Bars.js"
import { duration, time } from "../kit/Time.js"

// The section of a phone's page about how often the phone sends (decision devices-16).

const words = texts.devices.sending

/** Shows how many readings the phone sent in each hour, how many of them came late, and what the owner can change. */
export const section = (sending: Sending.SendingReport, format: Device.PhoneFormat): Html => {
  const { advice, hours, late, readings } = sending
  return html`<section class="card" aria-labelledby="sending">
    <h2 id="sending">${words.heading}</h2>
    ${
      readings === 0
        ? html`<p>${sending.isPartlyErased ? words.nothingLeft : words.nothing}</p>`
        : html`<p>${words.summed(readings)} ${late === 0 ? words.noneLate(readings) : words.someLate(late)}</p>
            <p>${silences(sending)} ${sending.isPartlyErased && words.erased}</p>
            <p class="soft small">${words.byHour}</p>
            ${bars(
              { caption: words.byHour, name: words.hour, value: words.readings, bad: words.late },
              hours.map((hour) => ({ name: time(hour.from), value: hour.readings, bad: hour.late })),
              tallest(hours.map((hour) => hour.readings))
            )}`
    }
    ${
      advice.length > 0 &&
      html`<h3>${words.advice}</h3>
        <ul>
          ${advice.map((one) => html`<li>${ADVICE[one](format)}</li>`)}
        </ul>`
    }
  </section>`
}

const silences = ({ longest, silences: all }: Sending.SendingReport): Html =>
  longest === null
    ? words.noSilence
    : words.silences(all.length, duration(longest.until - longest.from), time(longest.from))

const ADVICE: Readonly<Record<Sending.SendingAdvice, (format: Device.PhoneFormat) => Html>> = {
  arrives_late: (format) => words.lateAdvice[format],
  sleeps: (format) => words.sleepAdvice[format],
  sends_much: () => words.muchAdvice
}
